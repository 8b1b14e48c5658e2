import type { Activity } from './contracts.ts';
import type { VirtualClock } from './clock.ts';
import { isCompressing, watchCompression } from './compression.ts';
import { watchTraffic } from './traffic.ts';

export interface Driver {
  readonly activity: Activity;
  /**
   * Lets the world's time pass while something that visits it runs in this process: whenever nobody has anything to do,
   * it leaps to the next thing that is scheduled. Rejects with a StandstillError where nothing is scheduled any more
   * and the visitor still waits, or where it takes longer than `limitMs` of the world's time.
   */
  run<T>(visit: Promise<T>, limitMs: number): Promise<T>;
}

/** The visitor waits for something that never comes. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError';
}

/** Kinds of resources, as Node.js names them, that stand for work which will end by itself. */
const work = new Set([
  'FSReqCallback',
  'FSReqPromise',
  'CloseReq',
  'WriteWrap',
  'ShutdownWrap',
  'TCPConnectWrap',
  'PipeConnectWrap',
  'GetAddrInfoReqWrap',
]);

/** Turns of the event loop without any sign of work after which nobody is taken to have anything to do: a TLS handshake takes up to six. */
const quietTurns = 12;

export function createDriver(clock: VirtualClock): Driver {
  let underWay = 0;
  let signs = 0;
  watchCompression();
  const traffic = watchTraffic();
  const activity: Activity = {
    accept: (socket) => traffic.accept(socket),
    begin() {
      underWay += 1;
      signs += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        underWay -= 1;
        signs += 1;
      };
    },
  };

  async function waitUntilQuiet(isOver: () => boolean): Promise<void> {
    let quiet = 0;
    let seen = signs;
    while (quiet < quietTurns && !isOver()) {
      await turn();
      if (signs !== seen || isBusy()) quiet = 0;
      else quiet += 1;
      seen = signs;
    }
  }

  function isBusy(): boolean {
    return (
      underWay > 0 ||
      isCompressing() ||
      process.getActiveResourcesInfo().some((kind) => work.has(kind)) ||
      traffic.isOnItsWay()
    );
  }

  return {
    activity,
    async run(visit, limitMs) {
      const end = clock.now() + limitMs;
      let isOver = false;
      const settle = () => {
        isOver = true;
      };
      visit.then(settle, settle);
      while (!isOver) {
        await waitUntilQuiet(() => isOver);
        if (isOver) break;
        const at = clock.nextAt();
        if (at === undefined) throw new StandstillError('nothing is going to happen any more, and the visitor waits');
        if (at > end) throw new StandstillError(`the visitor waits still after ${limitMs / 1000} s`);
        // What concerns nobody but the world itself needs no long look around.
        for (let seen = signs, woken = clock.woken; seen === signs && woken === clock.woken && !isOver; ) {
          const next = clock.nextAt();
          if (next === undefined || next > end) break;
          await clock.step();
          await turn();
        }
      }
      return await visit;
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
