import { isDeepStrictEqual } from 'node:util';
import type { Examination, Play } from './play.ts';
import type { Scenario } from './scenario.ts';

/** What of a play is not as the scenario tells it; empty where all is. */
export function judge(scenario: Scenario, play: Play, cluster: string): string[] {
  const complaints: string[] = [];
  const { doctor, heal } = scenario;
  const found = play.before.findings.map((finding) => describe(finding, cluster));

  if (play.before.verdict !== doctor.verdict)
    complaints.push(`doctor: the verdict is ${play.before.verdict}, not ${doctor.verdict} (${list(found)})`);
  for (const name of doctor.names)
    if (!found.some((one) => one === name || one.startsWith(`${name} `)))
      complaints.push(`doctor does not name ${name}; it names ${list(found)}`);
  for (const name of doctor.mustNotName) {
    const wrong = found.filter((one) => one.startsWith(name));
    if (wrong.length > 0) complaints.push(`doctor names ${list(wrong)}, which is wrong`);
  }
  if (play.before.unknown.length > 0 && doctor.verdict === 'healthy')
    complaints.push(`doctor could not judge ${JSON.stringify(play.before.unknown)}`);

  if (play.healing.verdict !== heal.verdict)
    complaints.push(`heal: the verdict is ${play.healing.verdict}, not ${heal.verdict}`);
  const left = play.after.findings.map((finding) => describe(finding, cluster));
  const allowed = heal.leaves ?? [];
  const surplus = left.filter((one) => !allowed.some((name) => one === name || one.startsWith(`${name} `)));
  if (surplus.length > 0) complaints.push(`after heal there is still ${list(surplus)}`);
  if (heal.verdict !== 'remaining') complaints.push(...whyUnwell('after heal', play.after));
  if (heal.verdict === 'remaining' && left.length === 0)
    complaints.push('after heal nothing is left, although heal says so');
  if (play.again !== undefined) complaints.push(...whyUnwell('after the next crash', play.again));
  if (!isDeepStrictEqual(play.belongings.before, play.belongings.after))
    complaints.push("the user's belongings are not the same as before");
  return complaints;
}

function whyUnwell(when: string, { verdict, exitCode, findings }: Examination): string[] {
  if (verdict === 'healthy' && exitCode === 0) return [];
  return [`${when} doctor says ${verdict}, exit code ${exitCode}: ${list(findings.map(({ summary }) => summary))}`];
}

/** `id subject`, the subject without the cluster's name. */
function describe({ id, subject }: { readonly id: string; readonly subject: string }, cluster: string): string {
  return `${id} ${subject.replace(new RegExp(`^${cluster}-`), '')}`.trim();
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'nothing' : items.join(', ');
}
