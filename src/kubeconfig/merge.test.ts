import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ClusterEntry, mergeCluster } from './merge.ts';
import { parseKubeconfig } from './parse.ts';

const entry: ClusterEntry = {
  name: 'kind-idp-mvp',
  server: 'https://127.0.0.1:41777',
  certificateAuthorityData: 'LS0tQ0E=',
  clientCertificateData: 'LS0tQ0VSVA==',
  clientKeyData: 'LS0tS0VZ',
};

function merge(text: string | undefined, changes: Partial<ClusterEntry> = {}): string {
  const merged = mergeCluster(text, { ...entry, ...changes });
  if (!merged.ok) throw new Error(`${merged.line}:${merged.column} ${merged.message}`);
  return merged.text;
}

function expectOurs(text: string): void {
  const parsed = parseKubeconfig(text);
  expect(parsed).toMatchObject({ ok: true });
  if (!parsed.ok) return;
  expect(parsed.value.clusters).toContainEqual({
    name: entry.name,
    server: entry.server,
    certificateAuthorityData: entry.certificateAuthorityData,
  });
  expect(parsed.value.users).toContainEqual({ name: entry.name, clientCertificateData: entry.clientCertificateData });
  expect(parsed.value.contexts).toContainEqual(
    expect.objectContaining({ name: entry.name, cluster: entry.name, user: entry.name }),
  );
  expect(text).toContain(entry.clientKeyData);
}

const fresh = `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: LS0tQ0E=
    server: https://127.0.0.1:41777
  name: kind-idp-mvp
contexts:
- context:
    cluster: kind-idp-mvp
    user: kind-idp-mvp
  name: kind-idp-mvp
users:
- name: kind-idp-mvp
  user:
    client-certificate-data: LS0tQ0VSVA==
    client-key-data: LS0tS0VZ
current-context: kind-idp-mvp
`;

describe('a file that holds no kubeconfig', () => {
  test.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['an empty map', '{}\n'],
    ['null', 'null\n'],
  ])('%s becomes ours alone', (_, text) => {
    expect(parse(merge(text))).toEqual(parse(fresh));
  });

  test('comments stay', () => {
    expect(merge('# mine')).toMatch(/^# mine\napiVersion: v1\n/);
    expect(merge('# mine\r\n---\r\n')).toMatch(/^# mine\r\n---\r\napiVersion: v1\r\n/);
  });
});

const others = `# work
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
  - name: prod   # never delete
    cluster: { server: "https://prod:443", certificate-authority-data: 'QUE=' }
  - name: kind-idp-mvp
    cluster:
      certificate-authority-data: LS0tQ0E=
      server: https://127.0.0.1:33333 # kind
    # about prod's user
users:
  - name: prod
    user:
      exec: {apiVersion: x, command: aws, args: [a, "b"]}
contexts:
  - name: kind-idp-mvp
    context: {cluster: kind-idp-mvp, namespace: backstage, user: someone}
current-context: prod
# the end`;

test('renews our values in place, adds what is missing, keeps namespace, comments and the current context', () => {
  expect(merge(others)).toBe(
    others
      .replace('https://127.0.0.1:33333', 'https://127.0.0.1:41777')
      .replace('user: someone', 'user: kind-idp-mvp')
      .replace(
        'args: [a, "b"]}\n',
        `args: [a, "b"]}
  - name: kind-idp-mvp
    user:
      client-certificate-data: LS0tQ0VSVA==
      client-key-data: LS0tS0VZ
`,
      ),
  );
});

test('says whether it changed anything', () => {
  expect(mergeCluster(fresh, entry)).toEqual({ ok: true, text: fresh, changed: false });
  expect(mergeCluster('', entry)).toMatchObject({ changed: true });
});

test.each([
  ['missing', '', 'kind-idp-mvp'],
  ['empty', 'current-context: ""\n', 'kind-idp-mvp'],
  ['null', 'current-context:\n', 'kind-idp-mvp'],
  ['set', 'current-context: prod\n', 'prod'],
])('a current context that is %s', (_, line, expected) => {
  expect(parse(merge(`kind: Config\n${line}`))['current-context']).toBe(expected);
  const untouched = parse(merge(`kind: Config\n${line}`, { setCurrentContext: false }))['current-context'] ?? '';
  expect(untouched).toBe(expected === 'prod' ? 'prod' : '');
});

test('what kind and kubectl leave behind: empty sections become lists in block style', () => {
  const text = 'apiVersion: v1\nclusters: []\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers:\n';
  expect(merge(text)).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tQ0E=
    server: https://127.0.0.1:41777
  name: kind-idp-mvp
contexts:
- context:
    cluster: kind-idp-mvp
    user: kind-idp-mvp
  name: kind-idp-mvp
current-context: "kind-idp-mvp"
kind: Config
users:
- name: kind-idp-mvp
  user:
    client-certificate-data: LS0tQ0VSVA==
    client-key-data: LS0tS0VZ
`);
});

test('an entry of ours with fields that would overrule ours is written anew', () => {
  const text = merge(`${fresh.replace('    client-key-data', '    token: abc\n    client-key-data')}# end\n`);
  expect(text).toBe(`${fresh}# end\n`);
});

test('an entry of ours without values gets them', () => {
  const text = merge('clusters:\n- name: kind-idp-mvp\n- name: prod\n  cluster: {server: x}\n');
  expectOurs(text);
  expect(text).toContain('- name: prod\n  cluster: {server: x}\n');
});

test('JSON stays JSON', () => {
  const text = JSON.stringify(
    { kind: 'Config', clusters: [{ name: 'a', cluster: { server: 'b' } }], users: [] },
    null,
    2,
  );
  const merged = merge(text);
  expect(JSON.parse(merged)).toMatchObject({
    clusters: [{ name: 'a' }, { name: entry.name }],
    users: [{ name: entry.name }],
  });
  expectOurs(merged);
});

describe('what cannot be changed is refused', () => {
  test.each([
    ['no YAML', 'clusters: [\nsecret-text: {', 2],
    ['no map', '- a\n', 1],
    ['a section that is no list', 'kind: Config\nclusters: 3\n', 2],
    ['an item that is no map', 'clusters:\n- secret-text\n', 2],
    ['several documents', 'kind: Config\n---\nkind: Config\n', 2],
    ['a repeated section', 'users: []\nkind: Config\nusers: []\n', 3],
    ['a section behind an alias', 'a: &a []\nclusters: *a\n', 2],
    [
      'an anchor in our entry that another one uses',
      'users:\n- name: kind-idp-mvp\n  user: &u {token: secret-text}\n- name: b\n  user: *u\n',
      1,
    ],
  ])('%s', (_, text, line) => {
    const merged = mergeCluster(text, entry);
    expect(merged).toMatchObject({ ok: false, line });
    expect(JSON.stringify(merged)).not.toContain('secret-text');
  });
});

/** A kubeconfig as text, and the pieces of it that are somebody else's, in order. */
interface Sample {
  readonly text: string;
  readonly foreign: readonly string[];
}

const word = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  .filter((name) => !/^(y|n|on|off|no|yes|true|false|null)$/.test(name));
const scalar = fc.oneof(
  word,
  word.map((text) => `"${text} # no comment"`),
  word.map((text) => `'it''s ${text}, {or} [not]'`),
  word.map((text) => `https://${text}:6443/a?b#c`),
);
const comment = fc.option(
  word.map((text) => `# ${text}: [ {`),
  { nil: undefined, freq: 2 },
);

function arbitraryItem(key: string, inner: readonly [string, string]): fc.Arbitrary<{ block: string[]; flow: string }> {
  const name = fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: fc.constant(entry.name) });
  return fc
    .record({
      name,
      a: scalar,
      b: scalar,
      comment,
      nameFirst: fc.boolean(),
      gap: fc.nat(2),
      extra: fc.boolean(),
      empty: fc.nat(8),
    })
    .map((item) => {
      const values =
        item.empty === 0
          ? [`${key}:`]
          : [
              `${key}:${item.comment === undefined ? '' : ` ${item.comment}`}`,
              `  ${inner[0]}:   ${item.a}`,
              ...(item.extra ? ['  extensions:', '  - {x: 1}', '  certificate: |', '    line', '     more'] : []),
              `  ${inner[1]}: ${item.b}${item.comment === undefined ? '' : ` ${item.comment}`}`,
            ];
      const nameLine = `name: ${item.name}`;
      const lines = item.nameFirst ? [nameLine, ...values] : [...values, nameLine];
      const blanks = Array.from({ length: item.empty === 0 ? 0 : item.gap % 2 }, () => '');
      const flow = `{${key}: {${inner[0]}: ${JSON.stringify(item.a)}}, name: ${item.name}}`;
      return {
        block: [...lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`)), ...blanks],
        flow,
      };
    });
}

function arbitrarySection(
  section: string,
  key: string,
  inner: readonly [string, string],
): fc.Arbitrary<{ lines: string[]; foreign: string[] }> {
  const isOurs = (text: string) => text.includes(entry.name);
  return fc
    .record({
      items: fc.uniqueArray(arbitraryItem(key, inner), {
        maxLength: 3,
        selector: (item) => /name: (\S+?)[}\n]/.exec(`${item.flow}\n`)?.[1],
      }),
      style: fc.constantFrom('block', 'indented', 'flow', 'flow-lines', 'trailing-comma'),
      none: fc.constantFrom<readonly string[]>(
        [],
        [`${section}:`],
        [`${section}: []`],
        [`${section}: null # c`],
        [`${section}: [ ]`],
        [`${section}:`, '  # none yet'],
      ),
      comment,
    })
    .map(({ items, style, none, comment: note }) => {
      if (items.length === 0) return { lines: [...none], foreign: none.filter((line) => line.startsWith('  #')) };
      const flows = items.map((item) => item.flow);
      const foreignFlows = flows.filter((flow) => !isOurs(flow));
      const notes = note === undefined ? [] : [note];
      if (style === 'flow')
        return { lines: [`${section}: [${flows.join(', ')}]`, ...notes], foreign: [...foreignFlows, ...notes] };
      if (style === 'flow-lines')
        return {
          lines: [`${section}: [`, `  ${flows.join(',\n  ')}`, '  # c', ' ]', ...notes],
          foreign: [...foreignFlows, '  # c', ...notes],
        };
      if (style === 'trailing-comma')
        return {
          lines: [`${section}: [ ${flows.join(', # c\n    ')},`, ' ]', ...notes],
          foreign: [...foreignFlows, ...notes],
        };
      const indent = style === 'indented' ? '  ' : '';
      const blocks = items.map((item) => item.block.map((line) => (line === '' ? '' : indent + line)).join('\n'));
      return {
        lines: [`${section}:`, ...notes, ...blocks],
        foreign: [`${section}:`, ...notes, ...blocks.filter((block) => !isOurs(block)).map((block) => block.trimEnd())],
      };
    });
}

const sample: fc.Arbitrary<Sample> = fc
  .record({
    clusters: arbitrarySection('clusters', 'cluster', ['server', 'tls']),
    contexts: arbitrarySection('contexts', 'context', ['cluster', 'namespace']),
    users: arbitrarySection('users', 'user', ['exec-like', 'client-key-data']),
    order: fc.shuffledSubarray(['clusters', 'contexts', 'users', 'rest', 'current'] as const, { minLength: 5 }),
    current: fc.constantFrom<readonly string[]>(
      [],
      ['current-context: ""'],
      ["current-context: ''  # c"],
      ['current-context: prod'],
      ['current-context:'],
    ),
    crlf: fc.boolean(),
    start: fc.constantFrom<readonly string[]>([], ['# top'], ['---'], ['%YAML 1.2', '---']),
    end: fc.constantFrom('', '\n', '\n# end', '\n\n# end\n', '\n...\n'),
  })
  .map(({ order, start, end, current, crlf, ...sections }) => {
    const rest = ['apiVersion: v1', 'preferences: {}'];
    const parts = order.map((part) => {
      if (part === 'rest') return { lines: rest, foreign: rest };
      if (part === 'current') return { lines: [...current], foreign: current.filter((line) => line.includes('prod')) };
      return sections[part];
    });
    const fix = (text: string) => (crlf ? text.replaceAll('\n', '\r\n') : text);
    return {
      text: fix([...start, ...parts.flatMap((part) => part.lines)].join('\n') + end),
      foreign: [...start, ...parts.flatMap((part) => part.foreign), end.trim()].map(fix),
    };
  });

test('merging into any kubeconfig keeps the bytes and values of others, has our entry, and is idempotent', () => {
  fc.assert(
    fc.property(sample, ({ text, foreign }) => {
      const before = parse(text) as Record<string, unknown>;
      const merged = merge(text);
      let position = 0;
      for (const piece of foreign) {
        const found = merged.indexOf(piece, position);
        expect(found, `${JSON.stringify(piece)} is missing in\n${merged}`).toBeGreaterThanOrEqual(0);
        position = found + piece.length;
      }
      const after = parse(merged) as Record<string, unknown>;
      for (const section of ['clusters', 'contexts', 'users']) {
        const others = (value: unknown) =>
          ((value ?? []) as { name: string }[]).filter((item) => item.name !== entry.name);
        expect(others(after[section])).toEqual(others(before[section]));
      }
      expect(after['preferences']).toEqual(before['preferences']);
      expectOurs(merged);
      expect(merge(merged)).toBe(merged);
      expect(merged.replaceAll('\r\n', '').includes('\n')).toBe(
        text.replaceAll('\r\n', '').includes('\n') || !text.includes('\r\n'),
      );
    }),
    { numRuns: 200 },
  );
}, 120_000);

test('the same for JSON, however it is spaced', () => {
  const name = fc.oneof({ weight: 5, arbitrary: fc.string() }, { weight: 1, arbitrary: fc.constant(entry.name) });
  const items = (key: string) =>
    fc.option(
      fc.uniqueArray(
        fc.record({
          name,
          [key]: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
        }),
        { selector: (item) => item.name, maxLength: 3 },
      ),
    );
  const config = fc.record(
    { clusters: items('cluster'), contexts: items('context'), users: items('user') },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(config, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      const text = JSON.stringify({ kind: 'Config', ...value }, null, space);
      const merged = merge(text);
      const before = JSON.parse(text) as Record<string, { name: unknown }[] | null>;
      const after = JSON.parse(merged) as Record<string, { name: unknown }[]>;
      for (const section of ['clusters', 'contexts', 'users'] as const) {
        const others = (list: readonly { name?: unknown }[] | null | undefined) =>
          (list ?? []).filter((item) => item.name !== entry.name);
        expect(others(after[section])).toEqual(others(before[section]));
      }
      expectOurs(merged);
      expect(merge(merged)).toBe(merged);
    }),
    { numRuns: 200 },
  );
}, 120_000);
