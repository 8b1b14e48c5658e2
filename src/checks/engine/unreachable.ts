import type { Facts } from '../../facts/facts.ts';
import { type Check, conclude } from '../check.ts';

export const engineUnreachable: Check = {
  id: 'engine/unreachable',
  layer: 'engine',
  severity: 'error',
  title: 'A Docker engine answers',
  after: [],
  run: ({ engine }) =>
    engine.state !== 'unreachable'
      ? { kind: 'ok' }
      : conclude([
          {
            subject: '',
            summary:
              engine.endpoint === ''
                ? 'No Docker engine was found'
                : `The Docker engine at ${engine.endpoint} does not answer: ${engine.reason}`,
            evidence: attempts(engine),
          },
        ]),
};

/** The places looked at, one line each. */
export function attempts(engine: Facts['engine']): string[] {
  return engine.attempts.map(
    ({ source, endpoint, reason }) => `${source}${endpoint === '' ? '' : ` ${endpoint}`}: ${reason ?? 'used'}`,
  );
}
