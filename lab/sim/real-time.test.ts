import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/engine/surroundings.ts';
import { createVirtualClock } from './clock.ts';
import { catchUp, followRealTime } from './real-time.ts';

const start = new Date('2026-01-01T12:00:00Z');
const never = new AbortController().signal;

/** A real clock that goes on by as much as somebody sleeps, and by `jumpMs` with the third sleep. */
function makeReal(jumpMs = 0): Clock {
  let time = start.getTime();
  let sleeps = 0;
  return {
    now: () => new Date(time),
    monotonic: () => time,
    sleep: async (milliseconds) => {
      sleeps += 1;
      time += milliseconds + (sleeps === 3 ? jumpMs : 0);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('following the real time', () => {
  test('what is scheduled happens when the real clock shows its time', async () => {
    const [clock, real] = [createVirtualClock(start), makeReal()];
    const at = await followRealTime(
      clock,
      real,
      new Promise<number>((resolve) => clock.schedule(500, () => resolve(real.now().getTime()))),
    );
    expect(at - start.getTime()).toBe(500);
  });

  test('a computer that slept is caught up with, in the order of things', async () => {
    const clock = createVirtualClock(start);
    const seen: number[] = [];
    const visit = new Promise<void>((resolve) => {
      clock.schedule(3_600_000, () => void seen.push(clock.now()));
      clock.schedule(1_800_000, () => void seen.push(clock.now()));
      clock.schedule(7_200_000, resolve);
    });
    await followRealTime(clock, makeReal(8_000_000), visit);
    expect(seen.map((at) => at - start.getTime())).toEqual([1_800_000, 3_600_000]);
  });

  test('rejects where something in the world fails, though the visitor waits', async () => {
    const clock = createVirtualClock(start);
    clock.schedule(100, () => Promise.reject(new Error('the kettle is broken')));
    await expect(followRealTime(clock, makeReal(), new Promise(() => undefined))).rejects.toThrow('kettle');
  });

  test('rejects with what the visitor failed of, and lets no time pass afterwards', async () => {
    const clock = createVirtualClock(start);
    await expect(followRealTime(clock, makeReal(), Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    await new Promise((resolve) => setImmediate(resolve));
    const ended = clock.now();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.now()).toBe(ended);
  });
});

test('catching up ends early where it is called off', async () => {
  const clock = createVirtualClock(start);
  const controller = new AbortController();
  clock.schedule(15_000, () => controller.abort());
  await catchUp(clock, () => start.getTime() + 60_000, controller.signal);
  expect(clock.now() - start.getTime()).toBe(20_000);
  await catchUp(clock, () => start.getTime() + 60_000, never);
  expect(clock.now() - start.getTime()).toBe(60_000);
});
