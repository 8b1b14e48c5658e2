import { describe, expect, test } from 'vitest';
import { createVirtualClock } from './clock.ts';
import { createDriver, StandstillError } from './driver.ts';

const start = new Date('2026-05-04T09:15:00Z');
const never = new AbortController().signal;

describe('the virtual clock', () => {
  test('runs what is due in its order, and what was asked for first at one moment', async () => {
    const clock = createVirtualClock(start);
    const seen: string[] = [];
    clock.schedule(20, () => void seen.push(`late at ${clock.now() - start.getTime()}`));
    clock.schedule(10, () => {
      seen.push('first');
      clock.schedule(5, () => void seen.push(`then at ${clock.now() - start.getTime()}`));
    });
    clock.schedule(10, () => void seen.push('second'));
    await clock.advance(15);
    expect(seen).toEqual(['first', 'second', 'then at 15']);
    await clock.advance(100);
    expect(seen.at(-1)).toBe('late at 20');
    expect(clock.now() - start.getTime()).toBe(115);
  });

  test('stands still until an action has settled', async () => {
    const clock = createVirtualClock(start);
    const seen: number[] = [];
    clock.schedule(10, async () => {
      await Promise.resolve();
      seen.push(clock.now() - start.getTime());
    });
    clock.schedule(11, () => void seen.push(clock.now() - start.getTime()));
    await clock.advance(50);
    expect(seen).toEqual([10, 11]);
  });

  test('what was called off does not happen; a sleep that is aborted rejects with the reason', async () => {
    const clock = createVirtualClock(start);
    let happened = false;
    const cancel = clock.schedule(10, () => {
      happened = true;
    });
    cancel();
    const abort = new AbortController();
    const sleep = clock.asClock.sleep(20, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await clock.advance(100);
    expect(happened).toBe(false);
    expect(clock.nextAt()).toBeUndefined();
  });
});

describe('the driver', () => {
  test('leaps over the time in which everybody waits', async () => {
    const clock = createVirtualClock(start);
    const driver = createDriver(clock);
    const visit = (async () => {
      await clock.asClock.sleep(60_000, never);
      await clock.asClock.sleep(3_600_000, never);
      return clock.now() - start.getTime();
    })();
    expect(await driver.run(visit, 7_200_000)).toBe(3_660_000);
  });

  test('holds the time while a server works', async () => {
    const clock = createVirtualClock(start);
    const driver = createDriver(clock);
    const order: string[] = [];
    clock.schedule(1000, () => void order.push('time passed'));
    const done = driver.activity.begin();
    const visit = (async () => {
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
      order.push('answered');
      done();
      await clock.asClock.sleep(2000, never);
    })();
    await driver.run(visit, 10_000);
    expect(order).toEqual(['answered', 'time passed']);
  });

  test('tells of a visitor who waits for ever, and of one who takes too long', async () => {
    const clock = createVirtualClock(start);
    const driver = createDriver(clock);
    await expect(driver.run(new Promise(() => {}), 1000)).rejects.toThrow(StandstillError);
    const late = clock.asClock.sleep(5000, never);
    await expect(driver.run(late, 1000)).rejects.toThrow('still after 1 s');
  });

  test('passes on how the visit failed', async () => {
    const driver = createDriver(createVirtualClock(start));
    await expect(driver.run(Promise.reject(new Error('as it was')), 1000)).rejects.toThrow('as it was');
  });
});
