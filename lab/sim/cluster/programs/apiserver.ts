import { createPrivateKey, X509Certificate } from 'node:crypto';
import { pickBetween } from '../identifiers.ts';
import { publishServers } from '../server-endpoints.ts';
import { readFlag } from '../manifest.ts';
import type { Program } from '../runtime.ts';
import { formatKlog } from '../words.ts';
import type { ApiServer, ClusterWorld } from '../world.ts';

/** How long it waits for etcd before it gives up. */
const etcdPatienceMs = 20_000;

/** It follows its own certificate's files, and serves a new one without a restart (dynamic_serving_content.go). */
const reloadMs = 100;

const fileFlags = [
  'client-ca-file',
  'etcd-cafile',
  'etcd-certfile',
  'etcd-keyfile',
  'kubelet-client-certificate',
  'kubelet-client-key',
  'proxy-client-cert-file',
  'proxy-client-key-file',
  'requestheader-client-ca-file',
  'service-account-key-file',
  'service-account-signing-key-file',
  'tls-cert-file',
  'tls-private-key-file',
];

const lateHooks = [
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/apiservice-registration-controller',
];

interface Serving {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

function isPair({ certificatePem, privateKeyPem }: Serving): boolean {
  try {
    return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(privateKeyPem));
  } catch {
    return false;
  }
}

export function apiServerProgram(world: ClusterWorld, command: readonly string[]): Program {
  return (host) => {
    const { machine, scope } = host;
    const { clock, random } = world.context;
    const log = (level: 'I' | 'W' | 'E' | 'F', place: string, text: string) =>
      host.log(formatKlog(level, clock.now(), 1, place, text));
    const read = (flag: string) => machine.files.readText(readFlag(command, flag) ?? '') ?? '';
    let server: ApiServer | undefined;
    let unready: readonly string[] = lateHooks;
    let starting = true;
    let serving: Serving = { certificatePem: '', privateKeyPem: '' };
    let stopFollowing = () => {};
    world.startingServers += 1;
    const settle = () => {
      if (starting) world.startingServers -= 1;
      starting = false;
    };

    const missing = fileFlags
      .map((flag) => readFlag(command, flag))
      .find((path) => path !== undefined && machine.files.read(path) === undefined);
    if (missing !== undefined) {
      log('E', 'run.go:72', `"command failed" err="open ${missing}: no such file or directory"`);
      host.exit(1);
    } else {
      log('I', 'server.go:150', 'Version: v1.34.4');
      scope.schedule(1_000, () => awaitEtcd(clock.now()));
    }

    function awaitEtcd(since: number): void {
      if (world.etcd.isHealthy(machine.name)) {
        // Several that start at once share the processors of one machine.
        scope.schedule(pickBetween(random, 2_000, 5_000) * Math.max(1, world.startingServers), listen);
        return;
      }
      if (clock.now() - since >= etcdPatienceMs - 1_000) {
        log('F', 'instance.go:233', 'Error creating leases: error creating storage factory: context deadline exceeded');
        host.exit(1);
        return;
      }
      log(
        'W',
        'logging.go:55',
        '[core] [Channel #1 SubChannel #2]grpc: addrConn.createTransport failed to connect to {Addr: "127.0.0.1:2379", ServerName: "127.0.0.1:2379", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused"',
      );
      scope.schedule(1_000, () => awaitEtcd(since));
    }

    function listen(): void {
      if (!world.etcd.isHealthy(machine.name)) {
        awaitEtcd(clock.now());
        return;
      }
      settle();
      const advertiseAddress = readFlag(command, 'advertise-address') ?? machine.interfaces()[0]?.ipv4 ?? '';
      serving = { certificatePem: read('tls-cert-file'), privateKeyPem: read('tls-private-key-file') };
      if (!isPair(serving)) {
        log('E', 'run.go:72', '"command failed" err="failed to load serving certificate"');
        host.exit(1);
        return;
      }
      server = {
        name: machine.name,
        machine,
        port: Number(readFlag(command, 'secure-port') ?? 6443),
        advertiseAddress,
        get certificatePem() {
          return serving.certificatePem;
        },
        get privateKeyPem() {
          return serving.privateKeyPem;
        },
        clientAuthorityPem: read('client-ca-file'),
        store: world.store,
        get etcd() {
          return world.etcd.isHealthy(machine.name) ? 'ok' : 'lost';
        },
        get unready() {
          return unready;
        },
      };
      world.apiServers.set(machine.name, server);
      stopFollowing = machine.files.onChange((path) => {
        if (path === readFlag(command, 'tls-cert-file') || path === readFlag(command, 'tls-private-key-file'))
          scope.schedule(reloadMs, reload);
      });
      log('I', 'secure_serving.go:211', 'Serving securely on [::]:6443');
      scope.schedule(pickBetween(random, 800, 1_600), () => {
        unready = [];
        publishServers(world);
        host.changed();
      });
    }

    /** Files that are gone, or do not belong together, leave it with what it has. */
    function reload(): void {
      const next = { certificatePem: read('tls-cert-file'), privateKeyPem: read('tls-private-key-file') };
      if (isPair(next)) serving = next;
    }

    return {
      started: () => server !== undefined && unready.length === 0 && server.etcd === 'ok',
      // Its /livez has a check of etcd.
      live: () => server?.etcd === 'ok',
      ready: () => server?.etcd === 'ok' && unready.length === 0,
      stopMs: 1_500,
      ended() {
        settle();
        stopFollowing();
        if (server === undefined) return;
        if (world.apiServers.get(machine.name) === server) world.apiServers.delete(machine.name);
        // Those that are left take its address out when its own lease on it has run out.
        clock.schedule(15_000, () => publishServers(world));
        for (const listener of world.serverListeners) listener(machine.name);
      },
    };
  };
}
