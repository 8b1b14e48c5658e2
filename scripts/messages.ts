import type { Message } from '../src/engine/messages.ts';

/** What each message of the engine tells; a code without an entry does not compile. */
const meanings: Readonly<Record<Message['code'], string>> = {
  'gather-started': 'The facts of a cluster are being gathered.',
  'gather-ended': 'They are.',
  diagnosed: 'Every check has judged the facts. Sent once for each round of a heal.',
  planned: 'The plan of a round; with `dryRun` nothing follows it.',
  'run-started': 'The plan is confirmed and its journal begun; `directory` holds the journal and the backups.',
  'snapshot-taken': 'An etcd snapshot lies on this host.',
  'snapshot-skipped': 'There is no etcd snapshot, for the reason given.',
  'time-over': 'The time given with --timeout has passed before the cluster was well.',
  'step-started': 'A step acts.',
  'step-progress': 'Where a long step stands.',
  'step-done': 'A step has acted. It does not say that the finding is mended: the next diagnosis does.',
  'step-failed': 'A step did not succeed; what needs it is skipped, the rest goes on.',
  'step-skipped': 'A step was not applied: something it needs failed, or its precondition no longer holds.',
  'run-ended': 'The journal is closed; `outcome` is what the command answers with.',
};

/** docs/messages.md */
export function renderMessages(): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `# Messages

The engine never prints. It tells a host what happens by these messages, and asks it before it changes anything.
Their fields are those of \`Message\` in \`src/engine/messages.ts\`. This page is made by \`npm run docs\`.

| code | told when |
|---|---|
${rows.join('\n')}

## Questions

| code | asked before |
|---|---|
| \`apply-plan\` | the first step of a plan |
| \`undo-run\` | the first file is put back |

A host answers \`yes\`, \`no\` or \`unanswered\`; the last one means that nobody is there to ask, and nothing is done.
`;
}
