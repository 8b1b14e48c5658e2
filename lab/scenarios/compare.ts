import { isDeepStrictEqual } from 'node:util';
import type { Facts } from '../../src/facts/facts.ts';
import type { Play } from './play.ts';

/** One place in which the two worlds do not answer alike. */
export interface Difference {
  /** `facts before`, `findings`, `plan`, `outcome`, … */
  readonly part: string;
  /** Where in it, such as `nodes.idp-mvp-worker.interfaces`. */
  readonly path: string;
  readonly simulated: unknown;
  readonly real: unknown;
}

/**
 * Compares what the product saw, said and did for one scenario in both worlds. What has to differ is taken out first:
 * times, ports, hashes and addresses, where an address that a container has is called by the container.
 */
export function comparePlays(simulated: Play, real: Play): Difference[] {
  const parts: [string, (play: Play) => unknown][] = [
    ['facts before', ({ facts }) => facts?.before],
    ['facts after', ({ facts }) => facts?.after],
    ['findings', ({ before }) => describeFindings(before.findings)],
    ['summaries', ({ before }) => before.findings.map(({ summary }) => summary).sort()],
    ['verdict', ({ before: { verdict, exitCode, unknown } }) => ({ verdict, exitCode, unknown })],
    ['plan', ({ before }) => before.plan.steps.map(({ title, risk }) => `${risk}: ${title}`)],
    ['outcome', ({ healing: { verdict, exitCode } }) => ({ verdict, exitCode })],
    ['steps', ({ healing }) => healing.applied.map(({ title, result }) => `${result}: ${title}`)],
    ['findings after', ({ after }) => describeFindings(after.findings)],
    ['belongings kept', ({ belongings }) => isDeepStrictEqual(belongings.before, belongings.after)],
  ];
  return parts.flatMap(([part, take]) => {
    const [one, other] = [normalize(take(simulated), simulated), normalize(take(real), real)];
    return listDifferences(one, other, '').map((difference) => ({ part, ...difference }));
  });
}

interface FindingLike {
  readonly id: string;
  readonly subject: string;
  readonly severity: string;
  readonly cause: { readonly id: string; readonly subject: string } | null;
}

function describeFindings(findings: readonly FindingLike[]): string[] {
  return findings
    .map(({ id, subject, severity, cause }) =>
      [severity, id, subject, ...(cause === null ? [] : ['from', cause.id, cause.subject])].join(' '),
    )
    .sort();
}

function normalize(value: unknown, play: Play): unknown {
  if (value === undefined) return undefined;
  let text = JSON.stringify(value);
  for (const [address, name] of listAddresses(play.facts?.before)) text = replaceWhole(text, address, name);
  text = text
    .replaceAll(/\b(\d{1,3}\.){3}\d{1,3}\b/g, (address) => (/^(127|10|0)\./.test(address) ? address : '<an address>'))
    .replaceAll(/\bf[cd][0-9a-f]{2}:[0-9a-f:]+/g, '<an address>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| UTC)?/g, '<time>')
    .replaceAll(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) <time>/g, '<time>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/(127\.0\.0\.1|localhost):\d{4,5}/g, '$1:<port>')
    .replaceAll(/\b[0-9A-F]{16}:error/g, '<thread>:error')
    .replaceAll(/"hostPort":\d+/g, '"hostPort":"<port>"')
    .replaceAll(/\b\d+(\.\d+)? s\b/g, '<seconds>')
    .replaceAll(/"clockAheadMs":\{"ok":true,"value":-?\d+\}/g, '"clockAheadMs":"<milliseconds>"')
    .replaceAll(/"attempt":\d+/g, '"attempt":"<attempt>"')
    .replaceAll(/\(attempt \d+\)/g, '(attempt <attempt>)')
    .replaceAll(/\/[\w./-]*\/(\.kube\/config|kubeconfig)\b/g, '<kubeconfig>');
  return sortNamed(JSON.parse(text) as unknown);
}

/** Lists of things with a name in the order of the names: Docker and crictl tell them in no order that matters. */
function sortNamed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sortNamed);
    return items.every((item) => nameOf(item) !== undefined)
      ? items.toSorted((left, right) => (nameOf(left) ?? '').localeCompare(nameOf(right) ?? ''))
      : items;
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sortNamed(item)]));
}

/** Longest first, so that no address is taken for the beginning of another. */
function listAddresses(facts: Facts | undefined): [string, string][] {
  if (facts?.containers.ok !== true) return [];
  return facts.containers.value
    .flatMap(({ name, role, ipv4, ipv6 }): [string, string][] => {
      // Which of several workers Docker dealt an address to is chance.
      const called = role === 'worker' ? 'a worker' : name;
      return [
        [ipv4, `<${called}>`],
        [ipv6, `<${called} IPv6>`],
      ];
    })
    .filter(([address]) => address !== '')
    .sort(([left], [right]) => right.length - left.length);
}

function replaceWhole(text: string, address: string, name: string): string {
  const escaped = address.replaceAll('.', String.raw`\.`);
  const [before, after] = address.includes(':') ? ['[\\w:]', '[\\w:]'] : ['[\\w.]', '\\d|\\.\\d'];
  return text.replaceAll(new RegExp(`(?<!${before})${escaped}(?!${after})`, 'g'), name);
}

function listDifferences(simulated: unknown, real: unknown, path: string): Omit<Difference, 'part'>[] {
  if (isDeepStrictEqual(simulated, real)) return [];
  if (isRecord(simulated) && isRecord(real)) {
    const keys = [...new Set([...Object.keys(simulated), ...Object.keys(real)])].sort();
    return keys.flatMap((key) => listDifferences(simulated[key], real[key], path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(simulated) && Array.isArray(real) && simulated.length === real.length && simulated.length > 0)
    return simulated.flatMap((item, index) => listDifferences(item, real[index], `${path}[${nameOf(item) ?? index}]`));
  return [{ path, simulated, real }];
}

function nameOf(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const name = item['name'] ?? item['container'];
  return typeof name === 'string' ? name : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
