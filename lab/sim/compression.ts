import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

/** How many compressions are under way in this process: they work in a thread, and no list of resources names them. */
let underWay = 0;
let isWatching = false;

/** From now on `isCompressing` knows of every `gzip` and `gunzip` in this process. */
export function watchCompression(): void {
  if (isWatching) return;
  isWatching = true;
  zlib.gzip = count(zlib.gzip);
  zlib.gunzip = count(zlib.gunzip);
  syncBuiltinESMExports();
}

export function isCompressing(): boolean {
  return underWay > 0;
}

type Callback = (...results: unknown[]) => void;

function count<T extends typeof zlib.gzip | typeof zlib.gunzip>(original: T): T {
  const counted = (...call: unknown[]) => {
    const callback = call.pop() as Callback;
    underWay += 1;
    const settle: Callback = (...results) => {
      underWay -= 1;
      callback(...results);
    };
    (original as unknown as Callback)(...call, settle);
  };
  return counted as unknown as T;
}
