/** What stands below the generated part of each command's help. */

const exitCodeHelp = `Exit codes:
  0    healthy, or healed
  1    findings remain (after a dry run or a declined plan, too)
  2    wrong usage or configuration
  3    could not look: no engine, no permission, no answer, or a fault of
       rekindle itself
  4    needs a confirmation that nobody could give
  130  interrupted`;

function examples(...lines: readonly (readonly [string, string])[]): string {
  const widest = Math.max(...lines.map(([command]) => command.length));
  return `Examples:\n${lines.map(([command, purpose]) => `  ${command.padEnd(widest)}   ${purpose}`).join('\n')}`;
}

export function commonHelp(program: string): string {
  const shown = examples(
    [program, 'every kind cluster of this engine, one line each'],
    [`${program} doctor`, 'what is wrong, and why'],
    [`${program} heal`, 'mend it, after a look at the plan'],
    [`${program} heal --dry-run`, 'the plan alone'],
    [`${program} undo last`, 'put the newest run back'],
    [`${program} demo`, 'see it at work on a simulated cluster'],
  );
  return `
Without a command it shows every cluster, with -o json for programs; it takes
--docker-host, --kubeconfig and --no-color as well.

${shown}

${exitCodeHelp}

Environment: KIND_CLUSTER_NAME, KIND_EXPERIMENTAL_DOCKER_NETWORK, DOCKER_HOST,
KUBECONFIG, NO_COLOR, FORCE_COLOR; REKINDLE_DEBUG=1 shows the stack of an error.`;
}

export function doctorHelp(program: string): string {
  const shown = examples(
    [`${program} doctor`, 'every cluster of this engine'],
    [`${program} doctor --name idp-mvp -v`, 'one cluster, with the evidence'],
    [`${program} doctor -o json`, 'for programs; docs/schema/doctor.json describes it'],
    [`${program} doctor --fail-on warning`, 'in a pipeline that wants no warnings either'],
    [`${program} doctor --from bundle.tar.gz`, 'judge a bundle (or facts as JSON), anywhere'],
  );
  return `\n${shown}\n\n${exitCodeHelp}`;
}

export function healHelp(program: string): string {
  const shown = examples(
    [`${program} heal`, 'plan, ask, apply, verify'],
    [`${program} heal --dry-run`, 'the plan alone'],
    [`${program} heal --name idp-mvp --yes`, 'unasked, as in a script'],
    [`${program} heal --max-risk safe`, 'nothing that restarts a workload'],
    [`${program} heal --only node/kubelet-endpoint-stale`, 'this finding alone'],
  );
  return `
Before the first step it keeps an etcd snapshot and every file that it will
change. Without a terminal and without --yes it applies nothing and ends with 4.

${shown}

${exitCodeHelp}`;
}

export function explainHelp(program: string): string {
  return `\n${examples(
    [`${program} explain node/kubelet-endpoint-stale`, 'the stale address that keeps a node NotReady'],
    [`${program} explain nodes/not-ready --from bundle.tar.gz`, 'and where a bundle shows it'],
  )}`;
}

export function runsHelp(program: string): string {
  return `\n${examples(
    [`${program} runs`, 'newest first'],
    [`${program} runs last`, 'the steps of the newest, and what they changed'],
    [`${program} runs -o json`, 'for programs; docs/schema/runs.json describes it'],
  )}`;
}

export function undoHelp(program: string): string {
  const shown = examples(
    [`${program} undo last --dry-run`, 'what would be put back'],
    [`${program} undo 20260504-091500-x4k2`, 'ask, then put it back'],
    [`${program} undo last --yes`, 'unasked'],
  );
  return `\nA file that somebody else changed since is left alone and named.\n\n${shown}\n\n${exitCodeHelp}`;
}

export function bundleHelp(program: string): string {
  const shown = examples(
    [`${program} bundle`, 'rekindle-<cluster>-<time>.tar.gz in this folder'],
    [`${program} bundle --name idp-mvp --output report.tar.gz`, 'one cluster, a name of your own'],
    [`${program} bundle --output - | ssh build tar tzf -`, 'to standard output'],
    [`${program} bundle -o json`, 'for programs; docs/schema/bundle.json describes it'],
    [`${program} doctor --from report.tar.gz`, 'diagnose it, anywhere'],
  );
  return `
It changes nothing in the cluster, and overwrites no file. What looks like a
secret is taken out and listed; read docs/bundles.md before you pass one on.

${shown}

Exit codes:
  0    the file is written, whatever is wrong with the cluster
  2    wrong usage, or the file exists already
  3    no engine: the file is written with what there is; or it could not be
       written
  130  interrupted`;
}

export function demoHelp(program: string): string {
  const shown = examples(
    [`${program} demo`, 'the crash of the runbook, in about 20 seconds'],
    [`${program} demo --list`, 'the other scenarios'],
    [`${program} demo --scenario half-rewrite`, 'one of them'],
    [`${program} demo --keep`, 'a broken cluster, to try every command on'],
    [`${program} demo -o json`, 'for programs; docs/schema/demo.json describes it'],
  );
  return `
Engine and cluster are simulated inside this process; doctor and heal are the
real ones. Your own Docker, clusters and kubeconfig are not touched.

${shown}

Exit codes: those of heal; 130 where --keep is ended with Ctrl-C.`;
}
