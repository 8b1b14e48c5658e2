import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { ArchiveFile, Engine, ExecRequest, ExecResult } from '../docker/port.ts';
import { unusedEngine } from '../docker/testing/unused-engine.ts';
import { EngineError } from '../docker/port.ts';
import { openNode } from './node.ts';
import { decodeOperations, encodeResults } from './operations.ts';
import type { NodeOperation } from './port.ts';
import { READ_LIMIT_BYTES } from './script.ts';

const LIMITS = { timeoutMs: 5000 };

interface FakeContainer {
  readonly exec?: (request: ExecRequest) => Promise<ExecResult>;
  /** What lies at which path: contents, `folder` for a folder, or a link's target. */
  readonly files?: Readonly<Record<string, string | { readonly link: string }>>;
  readonly getArchive?: Engine['getArchive'];
}

function createEngine(container: FakeContainer) {
  const archives: string[] = [];
  const engine: Engine = {
    ...unusedEngine,
    exec: (_, request) => container.exec?.(request) ?? unusedEngine.exec('', request),
    getArchive: async (name, path) => {
      archives.push(path);
      return container.getArchive ? container.getArchive(name, path) : packFiles(container.files ?? {}, path);
    },
  };
  return { engine, archives };
}

/** As Docker does it: the last part of the path is the archive's first entry, not followed where it is a link. */
function packFiles(files: NonNullable<FakeContainer['files']>, path: string): ArchiveFile[] {
  const below = Object.entries(files).filter(
    ([name]) => name === path || name.startsWith(path === '/' ? '/' : `${path}/`),
  );
  if (below.length === 0) {
    throw new EngineError('not-found', `Could not find the file ${path} in container box`);
  }
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return below.map(([name, what]) => {
    const base = { path: name.slice(parent.length), mode: 0o640, uid: 3, gid: 4 };
    if (typeof what === 'object') {
      return { ...base, type: 'symlink', contents: Buffer.from(what.link) };
    }
    const type = what === 'folder' ? 'directory' : 'file';
    return { ...base, type, contents: Buffer.from(type === 'file' ? what : '') };
  });
}

function fileAt(path: string, contents: string) {
  return { path, mode: 0o640, uid: 3, gid: 4, contents: Buffer.from(contents) };
}

const REPLACE: NodeOperation = {
  op: 'replace',
  path: '/a',
  temporary: '/b',
  contents: Buffer.from('new'),
  mode: 0o600,
  uid: 0,
  gid: 0,
};

describe('a running node', () => {
  it('is asked everything in one exec', async () => {
    const requests: ExecRequest[] = [];
    const operations: NodeOperation[] = [
      { op: 'read', path: '/x' },
      REPLACE,
      { op: 'run', argv: ['id'], timeoutSeconds: 1 },
    ];
    const results = [
      { op: 'read', ok: true, file: fileAt('/x', 'y') },
      { op: 'replace', ok: true },
      { op: 'run', ok: true, exitCode: 2, stdout: Buffer.from('o'), stderr: Buffer.from('e') },
    ] as const;
    const { engine } = createEngine({
      exec: async (request) => {
        requests.push(request);
        return { exitCode: 0, stdout: encodeResults(results), stderr: Buffer.alloc(0) };
      },
    });
    const controller = new AbortController();
    const options = { timeoutMs: 1234, signal: controller.signal };
    expect(await openNode(engine, 'box', true).perform(operations, options)).toEqual(results);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject(options);
    expect(decodeOperations(requests[0]?.argv ?? [], requests[0]?.stdin)).toEqual(operations);
  });

  it('is not asked for nothing', async () => {
    const { engine } = createEngine({});
    expect(await openNode(engine, 'box', true).perform([], LIMITS)).toEqual([]);
  });

  it('understands the real program', async () => {
    const { engine } = createEngine({
      exec: async ({ argv, stdin }) => {
        const child = spawnSync(argv[0] ?? '', argv.slice(1), { input: stdin ?? '' });
        return { exitCode: child.status ?? -1, stdout: child.stdout, stderr: child.stderr };
      },
    });
    const operations: NodeOperation[] = [{ op: 'run', argv: ['echo', '$HOME'], timeoutSeconds: 30 }];
    expect(await openNode(engine, 'box', true).perform(operations, LIMITS)).toEqual([
      { op: 'run', ok: true, exitCode: 0, stdout: Buffer.from('$HOME\n'), stderr: Buffer.alloc(0) },
    ]);
  });

  it('without a shell fails with what the engine says', async () => {
    const stdout = Buffer.from('OCI runtime exec failed: no bash\n');
    const { engine } = createEngine({ exec: async () => ({ exitCode: 126, stdout, stderr: Buffer.alloc(0) }) });
    const results = await openNode(engine, 'box', true).perform([{ op: 'remove', path: '/a' }], LIMITS);
    expect(results).toEqual([
      { op: 'remove', ok: false, why: 'failed', reason: expect.stringContaining('OCI runtime exec failed: no bash') },
    ]);
  });

  it('that is killed half way fails for the rest', async () => {
    const stdout = encodeResults([{ op: 'remove', ok: true }]);
    const { engine } = createEngine({ exec: async () => ({ exitCode: 137, stdout, stderr: Buffer.alloc(0) }) });
    const both: NodeOperation[] = [{ op: 'remove', path: '/a' }, REPLACE];
    expect(await openNode(engine, 'box', true).perform(both, LIMITS)).toMatchObject([
      { op: 'remove', ok: true },
      { op: 'replace', ok: false, why: 'failed' },
    ]);
  });

  it('that cannot be reached rejects', async () => {
    const { engine } = createEngine({ exec: () => Promise.reject(new EngineError('unreachable', 'gone')) });
    await expect(openNode(engine, 'box', true).perform([REPLACE], LIMITS)).rejects.toMatchObject({
      kind: 'unreachable',
    });
  });

  it('that turns out not to run is read as a stopped one', async () => {
    const { engine } = createEngine({
      exec: () => Promise.reject(new EngineError('conflict', 'container box is not running')),
      files: { '/x': 'y' },
    });
    expect(await openNode(engine, 'box', true).perform([{ op: 'read', path: '/x' }, REPLACE], LIMITS)).toMatchObject([
      { op: 'read', ok: true },
      { op: 'replace', ok: false, why: 'stopped' },
    ]);
  });
});

describe('a stopped node', () => {
  const files = {
    '/etc': 'folder',
    '/etc/pki': 'folder',
    '/etc/pki/b.pem': 'B',
    '/etc/pki/a.pem': 'A',
    '/etc/pki/a.key': 'K',
    '/etc/pki/current.pem': { link: '/etc/pki/a.pem' },
    '/etc/pki/gone.pem': { link: 'nowhere' },
    '/etc/pki/sub.pem': 'folder',
    '/etc/pki/sub.pem/deep.pem': 'D',
    '/etc/certs': { link: 'pki' },
    '/etc/endless': { link: 'endless' },
    '/etc/one': { link: './two' },
    '/etc/two': { link: '../etc/pki/b.pem' },
  } as const;

  const perform = (operations: readonly NodeOperation[], container: FakeContainer = { files }) =>
    openNode(createEngine(container).engine, 'box', false).perform(operations, LIMITS);

  it('reads files, through links', async () => {
    const paths = ['/etc/pki/a.pem', '/etc/one', '/etc/pki', '/etc/absent', '/etc/endless', '/etc/pki/gone.pem'];
    expect(await perform(paths.map((path) => ({ op: 'read', path })))).toEqual([
      { op: 'read', ok: true, file: fileAt('/etc/pki/a.pem', 'A') },
      { op: 'read', ok: true, file: fileAt('/etc/one', 'B') },
      { op: 'read', ok: false, why: 'failed', reason: '/etc/pki is not a regular file' },
      { op: 'read', ok: false, why: 'missing', reason: '/etc/absent does not exist' },
      { op: 'read', ok: false, why: 'failed', reason: expect.stringContaining('links') },
      { op: 'read', ok: false, why: 'missing', reason: expect.stringContaining('does not exist') },
    ]);
  });

  it.each(['/etc/pki', '/etc/pki/', '/etc/certs'])('reads the folder %s', async (directory) => {
    const at = (name: string) => `${directory.replace(/\/$/, '')}/${name}`;
    expect(await perform([{ op: 'read-directory', directory, suffix: '.pem' }])).toEqual([
      {
        op: 'read-directory',
        ok: true,
        files: [fileAt(at('a.pem'), 'A'), fileAt(at('b.pem'), 'B'), fileAt(at('current.pem'), 'A')],
      },
    ]);
  });

  it('lists folders, the topmost too', async () => {
    const names = async (directory: string, prefix: string) => {
      const [result] = await perform([{ op: 'list-directory', directory, prefix }]);
      return result?.ok && result.op === 'list-directory' ? result.entries : result;
    };
    expect(await names('/etc/pki', 'a.')).toEqual([
      { name: 'a.key', size: 1 },
      { name: 'a.pem', size: 1 },
    ]);
    expect(await names('/etc/pki/a.pem', '')).toMatchObject({ ok: false, why: 'missing' });
    const root = async (): Promise<ArchiveFile[]> =>
      ['', 'etc', 'etc/passwd', 'kind'].map((path) => ({
        path,
        type: 'directory',
        mode: 0o755,
        uid: 0,
        gid: 0,
        contents: Buffer.alloc(0),
      }));
    const [result] = await perform([{ op: 'list-directory', directory: '/', prefix: '' }], { getArchive: root });
    expect(result).toMatchObject({ entries: [{ name: 'etc' }, { name: 'kind' }] });
  });

  it('refuses files over the limit, as a running one does', async () => {
    const big = { files: { '/d': 'folder', '/d/big': 'x'.repeat(READ_LIMIT_BYTES + 1) } } as const;
    const operations: NodeOperation[] = [
      { op: 'read', path: '/d/big' },
      { op: 'read-directory', directory: '/d', suffix: '' },
    ];
    expect(await perform(operations, big)).toMatchObject([
      { ok: false, why: 'failed', reason: expect.stringContaining('/d/big has') },
      { ok: false, why: 'failed', reason: expect.stringContaining('/d/big has') },
    ]);
  });

  it('says of all else that it is stopped', async () => {
    const rest: NodeOperation[] = [
      REPLACE,
      { op: 'remove', path: '/a' },
      { op: 'run', argv: ['id'], timeoutSeconds: 1 },
    ];
    expect(await perform(rest)).toEqual(
      rest.map(({ op }) => ({ op, ok: false, why: 'stopped', reason: 'container "box" does not run' })),
    );
  });

  it.each([
    ['not-found', 'No such container: box', true],
    ['unreachable', 'gone', true],
    ['timeout', 'slow', true],
    ['failed', 'lstat /etc/passwd/x: not a directory', false],
    ['failed', 'broken layer', false],
  ] as const)('met by %s (%s) rejects: %s', async (kind, words, rejects) => {
    const container = { getArchive: () => Promise.reject(new EngineError(kind, words)) };
    const work = perform([{ op: 'read', path: '/etc/passwd/x' }], container);
    if (rejects) {
      await expect(work).rejects.toMatchObject({ kind, message: words });
    } else {
      const why = words.endsWith('directory') ? 'missing' : 'failed';
      expect(await work).toMatchObject([{ ok: false, why }]);
    }
  });

  it('gives up in time, or when called off', async () => {
    const { engine } = createEngine({ getArchive: () => new Promise(() => {}) });
    const node = openNode(engine, 'box', false);
    const read: NodeOperation[] = [{ op: 'read', path: '/a' }];
    await expect(node.perform(read, { timeoutMs: 20 })).rejects.toMatchObject({ kind: 'timeout' });
    const signal = AbortSignal.abort();
    await expect(node.perform(read, { timeoutMs: 60_000, signal })).rejects.toMatchObject({ kind: 'timeout' });
  });
});
