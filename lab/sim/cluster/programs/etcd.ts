import { splitBundle } from '../../../../src/pki/certificates.ts';
import type { FileSystem } from '../../files.ts';
import type { EtcdMember, EtcdProcess } from '../etcd-cluster.ts';
import { makeHex } from '../../random.ts';
import { readFlag, scanManifests } from '../manifest.ts';
import type { Program, ProgramHost } from '../runtime.ts';
import { formatEtcdLine } from '../words.ts';
import { type ClusterWorld, hasAddress } from '../world.ts';

/** What the simulated database keeps beside the objects, which live in the cluster's store. */
interface Database {
  readonly memberId: string;
  readonly clusterId: string;
  readonly members: readonly EtcdMember[];
}

export function etcdProgram(world: ClusterWorld, command: readonly string[]): Program {
  return (host) => {
    const { files } = host.machine;
    const log = (level: string, caller: string, message: string, more: object = {}) =>
      host.log(formatEtcdLine(level, world.context.clock.now(), caller, message, more));
    const fail = (message: string, error: string) => {
      log('fatal', 'etcdmain/etcd.go:183', message, { error });
      host.exit(1);
      return dead;
    };
    log('info', 'etcdmain/etcd.go:64', 'Running: ', { args: command });

    const unbindable = findUnbindable(host, command);
    if (unbindable !== undefined) {
      return fail('discovery failed', `listen tcp ${unbindable}: bind: cannot assign requested address`);
    }
    const missing = [
      'cert-file',
      'key-file',
      'trusted-ca-file',
      'peer-cert-file',
      'peer-key-file',
      'peer-trusted-ca-file',
    ]
      .map((flag) => readFlag(command, flag))
      .find((path) => path !== undefined && files.read(path) === undefined);
    if (missing !== undefined) return fail('discovery failed', `open ${missing}: no such file or directory`);
    const directory = readFlag(command, 'data-dir') ?? '/var/lib/etcd';
    const database = openDatabase(world, files, directory, command);
    if (database === 'bootstrapped') {
      return fail('discovery failed', `member ${readFlag(command, 'name') ?? ''} has already been bootstrapped`);
    }
    if (database === undefined) {
      log('panic', 'backend/backend.go:216', 'failed to open database', { path: `${directory}/member/snap/db` });
      host.exit(2);
      return dead;
    }

    const process: EtcdProcess = {
      machine: host.machine,
      memberId: database.memberId,
      clusterId: database.clusterId,
      members: () => readDatabase(files, directory)?.members ?? database.members,
      setMembers: (members) => writeDatabase(files, directory, { ...database, members }),
      peerListenAddresses: hostsOf(readFlag(command, 'listen-peer-urls')),
      peerCertificatePem: readPem(files, readFlag(command, 'peer-cert-file')),
      peerAuthorityPem: readPem(files, readFlag(command, 'peer-trusted-ca-file')),
      processId: host.processId,
      onQuorum(has) {
        if (has) log('info', 'embed/serve.go:124', 'ready to serve client requests');
        else log('warn', 'etcdserver/server.go:1100', 'lost leader', { 'local-member-id': database.memberId });
        host.changed();
      },
    };
    let joined = false;
    host.scope.schedule(300 + world.context.random() * 200, () => {
      joined = true;
      world.etcd.add(process);
    });
    const followPeers = () => {
      // Names and addresses may come to lead elsewhere without anything happening in this node.
      if (process.members().length > 1) {
        world.etcd.refresh();
        if (!world.etcd.isHealthy(host.machine.name)) {
          log('warn', 'rafthttp/probing_status.go:68', 'prober detected unhealthy status', {
            'local-member-id': database.memberId,
          });
        }
        host.scope.schedule(5_000, followPeers);
      }
    };
    host.scope.schedule(5_000, followPeers);
    return {
      started: () => joined && world.etcd.isHealthy(host.machine.name),
      live: () => joined,
      ready: () => world.etcd.isHealthy(host.machine.name),
      stopMs: 300,
      ended: () => world.etcd.remove(process),
    };
  };
}

const dead = { started: () => false, live: () => false, ready: () => false, stopMs: 0 };

/** The first address that it should listen on and that the node has not. */
function findUnbindable(host: ProgramHost, command: readonly string[]): string | undefined {
  for (const flag of ['listen-peer-urls', 'listen-client-urls']) {
    for (const url of (readFlag(command, flag) ?? '').split(',').filter((text) => URL.canParse(text))) {
      const { hostname, host: target } = new URL(url);
      if (!hasAddress(host.machine, hostname.replace(/^\[(.*)\]$/, '$1'))) return target;
    }
  }
  return undefined;
}

function openDatabase(
  world: ClusterWorld,
  files: FileSystem,
  directory: string,
  command: readonly string[],
): Database | 'bootstrapped' | undefined {
  if (files.stat(`${directory}/member/snap/db`) !== undefined) return readDatabase(files, directory);
  // Several members cannot begin anew: whoever lost its data has to be removed and joined again.
  if ((readFlag(command, 'initial-cluster') ?? '').includes(',')) return 'bootstrapped';
  const database = foundDatabase(world, [readMember(command)]);
  writeDatabase(files, directory, database);
  // An empty etcd is an empty cluster.
  world.forgetObjects();
  return database;
}

function readMember(command: readonly string[]): { readonly name: string; readonly peerUrls: readonly string[] } {
  const peerUrls = (readFlag(command, 'initial-advertise-peer-urls') ?? '').split(',').filter((url) => url !== '');
  return { name: readFlag(command, 'name') ?? 'default', peerUrls };
}

function foundDatabase(
  world: ClusterWorld,
  members: readonly { readonly name: string; readonly peerUrls: readonly string[] }[],
): Database {
  const { random } = world.context;
  const known = members.map((member) => ({ id: makeHex(random, 16), ...member }));
  return { memberId: known[0]?.id ?? '', clusterId: makeHex(random, 16), members: known };
}

/** Leaves in every control plane what its etcd holds when the cluster has been made; does nothing where data is there. */
export function installEtcd(world: ClusterWorld): void {
  if (world.etcdInstalled) return;
  world.etcdInstalled = true;
  const places = world.machines().flatMap(({ role, name, files }) => {
    if (role !== 'control-plane') return [];
    const [etcd] = scanManifests(files, '/etc/kubernetes/manifests', name).pods.filter(
      ({ command }) => command[0] === 'etcd',
    );
    return etcd === undefined ? [] : [{ files, command: etcd.command }];
  });
  const directoryOf = (command: readonly string[]) => readFlag(command, 'data-dir') ?? '/var/lib/etcd';
  if (places.some(({ files, command }) => files.stat(`${directoryOf(command)}/member`) !== undefined)) return;
  const database = foundDatabase(
    world,
    places.map(({ command }) => readMember(command)),
  );
  for (const { files, command } of places) {
    const memberId = database.members.find(({ name }) => name === readMember(command).name)?.id ?? '';
    writeDatabase(files, directoryOf(command), { ...database, memberId });
  }
}

function readDatabase(files: FileSystem, directory: string): Database | undefined {
  try {
    return JSON.parse(files.readText(`${directory}/member/snap/db`) ?? '') as Database;
  } catch {
    return undefined;
  }
}

function writeDatabase(files: FileSystem, directory: string, database: Database): void {
  files.write(`${directory}/member/snap/db`, JSON.stringify(database), { mode: 0o600 });
  files.write(`${directory}/member/wal/0000000000000000-0000000000000000.wal`, database.memberId, { mode: 0o600 });
}

function hostsOf(urls: string | undefined): string[] {
  return (urls ?? '')
    .split(',')
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
}

function readPem(files: FileSystem, path: string | undefined): string {
  return splitBundle(path === undefined ? '' : (files.readText(path) ?? ''))[0] ?? '';
}
