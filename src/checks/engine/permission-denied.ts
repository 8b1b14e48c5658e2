import { type Check, conclude } from '../check.ts';
import { attempts } from './unreachable.ts';

export const enginePermissionDenied: Check = {
  id: 'engine/permission-denied',
  layer: 'engine',
  severity: 'error',
  title: 'This user may talk to the Docker engine',
  after: [],
  run: ({ engine }) =>
    engine.state !== 'permission-denied'
      ? { kind: 'ok' }
      : conclude([
          {
            subject: '',
            summary: `The Docker engine at ${engine.endpoint} is there, but this user may not talk to it: ${engine.reason}`,
            evidence: attempts(engine),
          },
        ]),
};
