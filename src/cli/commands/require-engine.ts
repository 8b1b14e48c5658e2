import type { EngineApi } from '../engine-api.ts';
import { BlockedError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { adviseOnEngine, sayEngineFailure } from '../render/engine.ts';

/** Ends a command that can do nothing without the engine. */
export function requireEngine(engine: EngineApi, world: unknown): void {
  const failure = engine.readEngineFailure(world);
  if (failure === null) return;
  throw new BlockedError(exitCodes.couldNotLook, sayEngineFailure(failure), adviseOnEngine(failure));
}
