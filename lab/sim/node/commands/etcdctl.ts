import { type Command, type CommandCall, parseArguments, readOption } from './command.ts';
import { parentOf } from './paths.ts';

const options = ['--endpoints', '--cacert', '--cert', '--key', '--command-timeout', '-w', '--write-out'];

/** etcd's own client, out of its container: `snapshot save PATH`, `endpoint health|status`, `member list`. */
export const etcdctl: Command = (call) => {
  const parsed = parseArguments(call.args, options);
  for (const option of ['--cacert', '--cert', '--key']) {
    const path = readOption(parsed.options, option);
    if (path === undefined || call.node.files.read(path) !== undefined) continue;
    call.complain(`Error: open ${path}: no such file or directory\n`);
    return 128;
  }
  const format = readOption(parsed.options, '-w', '--write-out');
  const endpoint = readOption(parsed.options, '--endpoints') ?? '127.0.0.1:2379';
  const [first = '', second = '', path = ''] = parsed.words;
  if (first === 'snapshot' && second === 'save') return saveSnapshot(call, path);
  if (first === 'endpoint' && second === 'health') return printHealth(call, endpoint);
  if (first === 'endpoint' && second === 'status') return printStatus(call, endpoint, format);
  if (first === 'member' && second === 'list') return listMembers(call, format);
  call.complain(`Error: unknown command "${first}" for "etcdctl"\n`);
  return 1;
};

function saveSnapshot(call: CommandCall, path: string): number {
  if (path === '') {
    call.complain('Error: snapshot save expects one argument\n');
    return 128;
  }
  if (call.node.files.list(`${parentOf(path)}/`) === undefined) {
    call.complain(`Error: could not open ${path}.part (open ${path}.part: no such file or directory)\n`);
    return 5;
  }
  const snapshot = call.node.processes.etcdSnapshot();
  if (!snapshot.ok) {
    call.complain(`Error: ${snapshot.reason.replace(/^Error: /, '')}\n`);
    return 1;
  }
  call.node.files.write(path, snapshot.bytes, { mode: 0o600 });
  call.print(`Snapshot saved at ${path}\n`);
  return 0;
}

function printHealth(call: CommandCall, endpoint: string): number {
  const snapshot = call.node.processes.etcdSnapshot();
  if (snapshot.ok) {
    call.print(`${endpoint} is healthy: successfully committed proposal: took = 2ms\n`);
    return 0;
  }
  call.complain(`${endpoint} is unhealthy: failed to commit proposal: ${snapshot.reason}\nError: unhealthy cluster\n`);
  return 1;
}

function printStatus(call: CommandCall, endpoint: string, format: string | undefined): number {
  const snapshot = call.node.processes.etcdSnapshot();
  if (!snapshot.ok) {
    call.complain(`Failed to get the status of endpoint ${endpoint} (${snapshot.reason})\n`);
    return 1;
  }
  const status = { version: '3.6.5', dbSize: snapshot.bytes.length };
  call.print(
    format === 'json'
      ? `${JSON.stringify([{ Endpoint: endpoint, Status: status }])}\n`
      : `${endpoint}, ${status.version}, ${status.dbSize} B\n`,
  );
  return 0;
}

/** Members as the node's own manifest knows them. */
function listMembers(call: CommandCall, format: string | undefined): number {
  const snapshot = call.node.processes.etcdSnapshot();
  if (!snapshot.ok) {
    call.complain(`Error: ${snapshot.reason.replace(/^Error: /, '')}\n`);
    return 1;
  }
  const manifest = call.node.files.readText('/etc/kubernetes/manifests/etcd.yaml') ?? '';
  const members = (/--initial-cluster=(\S+)/.exec(manifest)?.[1] ?? '').split(',').map((entry) => {
    const [name = '', url = ''] = entry.split('=');
    return { name, peerURLs: [url], clientURLs: [url.replace(':2380', ':2379')] };
  });
  call.print(
    format === 'json'
      ? `${JSON.stringify({ members })}\n`
      : members
          .map(({ name, peerURLs, clientURLs }) => `started, ${name}, ${peerURLs[0]}, ${clientURLs[0]}, false\n`)
          .join(''),
  );
  return 0;
}
