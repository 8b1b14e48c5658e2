/**
 * What the product loads only when it needs it. In a simulated world all of it has to be there before the time begins to
 * leap, since nobody can see that a module is still on its way.
 */

import 'dockerode';
import 'tar-stream';
import '../../../src/cli/commands/bundle.ts';
import '../../../src/cli/commands/doctor.ts';
import '../../../src/cli/commands/explain.ts';
import '../../../src/cli/commands/facts-file.ts';
import '../../../src/cli/commands/heal.ts';
import '../../../src/cli/commands/runs.ts';
import '../../../src/cli/commands/status.ts';
import '../../../src/cli/commands/undo.ts';
import '../../../src/cli/engine.ts';
import '../../../src/cli/hosts/json.ts';
import '../../../src/cli/hosts/open.ts';
import '../../../src/cli/hosts/plain.ts';
import '../../../src/engine/bundle.ts';
import '../../../src/engine/gather/readers.ts';
import '../../../src/engine/heal.ts';
import '../../../src/engine/state.ts';
import '../../../src/engine/undo.ts';
import '../../../src/runs/diff.ts';
import '../../../src/runs/resolve.ts';
