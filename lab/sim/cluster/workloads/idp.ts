import { ensureObject, isReady, modifyObject, type NodeSpec, withLabels } from '../objects.ts';
import { failAfter, type PodHost, serveAfter } from '../pod-behaviour.ts';
import type { RunningProgram } from '../runtime.ts';
import type { ClusterWorld } from '../world.ts';
import { servicesWork } from './base.ts';
import { addService, addWorkload, ensureNamespace } from './builders.ts';

/** The hosts of the site's ingresses, with the service behind each. */
export const idpHosts = [
  { host: 'backstage.idp.local', namespace: 'idp', service: 'backstage', port: 3000 },
  { host: 'grafana.idp.local', namespace: 'monitoring', service: 'grafana', port: 3000 },
  { host: 'prometheus.idp.local', namespace: 'monitoring', service: 'prometheus', port: 9090 },
  { host: 'kagent.idp.local', namespace: 'kagent', service: 'kagent-controller', port: 8083 },
] as const;

const migrationMs = 90_000;
/** On the database's node: tables that a crash has left half-written. */
const dirtyMark = '/var/local-path-provisioner/kagent-pgvector/needs-migration';

/** A small developer platform: what the demonstration's cluster runs. */
export function addIdpWorkloads(world: ClusterWorld): void {
  labelIngressNode(world);
  addIngress(world);
  addWorkload(world, 'Deployment', {
    namespace: 'idp',
    name: 'backstage',
    image: 'ghcr.io/idp/backstage:1.4.0',
    port: 3000,
  });
  addWorkload(world, 'Deployment', {
    namespace: 'monitoring',
    name: 'grafana',
    image: 'docker.io/grafana/grafana:12.2.0',
    port: 3000,
  });
  addWorkload(world, 'Deployment', {
    namespace: 'monitoring',
    name: 'prometheus',
    image: 'quay.io/prometheus/prometheus:v3.7.0',
    port: 9090,
  });
  addWorkload(world, 'Deployment', {
    namespace: 'monitoring',
    name: 'catalog-exporter',
    image: 'ghcr.io/idp/catalog-exporter:0.3.1',
    container: { env: [{ name: 'BACKSTAGE_URL', value: 'http://backstage.default.svc.cluster.local:3000' }] },
  });
  addWorkload(world, 'StatefulSet', {
    namespace: 'kagent',
    name: 'kagent-pgvector',
    image: 'docker.io/pgvector/pgvector:pg17',
    claims: ['data'],
    port: 5432,
  });
  addWorkload(world, 'Deployment', {
    namespace: 'kagent',
    name: 'kagent-controller',
    image: 'ghcr.io/kagent-dev/kagent/controller:0.7.4',
    port: 8083,
    container: {
      startupProbe: {
        httpGet: { path: '/health', port: 8083 },
        failureThreshold: 6,
        periodSeconds: 10,
        timeoutSeconds: 1,
      },
    },
  });
  world.behaviours.set('backstage', (host) => serveAfter(host, 4_000 + world.context.random() * 4_000));
  world.behaviours.set('catalog-exporter', runExporter);
  world.behaviours.set('pgvector', runDatabase);
  world.behaviours.set('controller', (host) =>
    host.pod.metadata.namespace === 'kagent' ? runKagent(host) : serveAfter(host, 2_000),
  );
}

function addIngress(world: ClusterWorld): void {
  addWorkload(world, 'Deployment', {
    namespace: 'ingress-nginx',
    name: 'ingress-nginx-controller',
    image: 'registry.k8s.io/ingress-nginx/controller:v1.14.0',
    labels: { 'app.kubernetes.io/component': 'controller', 'app.kubernetes.io/name': 'ingress-nginx' },
    spec: {
      nodeSelector: { 'ingress-ready': 'true', 'kubernetes.io/os': 'linux' },
      tolerations: [
        { effect: 'NoSchedule', key: 'node-role.kubernetes.io/master', operator: 'Equal' },
        { effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane', operator: 'Equal' },
      ],
    },
    container: {
      name: 'controller',
      ports: [
        { containerPort: 80, hostPort: 80, name: 'http', protocol: 'TCP' },
        { containerPort: 443, hostPort: 443, name: 'https', protocol: 'TCP' },
      ],
    },
  });
  ensureObject(world.store, 'ingressclasses.networking.k8s.io', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  });
  for (const { host, namespace, service, port } of idpHosts) {
    ensureNamespace(world, namespace);
    ensureObject(world.store, 'ingresses.networking.k8s.io', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: service, namespace },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host,
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: port } } } },
              ],
            },
          },
        ],
      },
      status: { loadBalancer: { ingress: [{ hostname: 'localhost' }] } },
    });
  }
  addService(world, { namespace: 'ingress-nginx', name: 'ingress-nginx-controller', port: 80 });
}

/** kind's configuration labels the first control plane; a node that is not registered yet gets it then. */
function labelIngressNode(world: ClusterWorld): void {
  const [first] = world.machines().filter(({ role }) => role === 'control-plane');
  if (first === undefined) return;
  const label = () =>
    modifyObject(world.store, 'nodes', undefined, first.name, (node) => withLabels(node, { 'ingress-ready': 'true' }));
  if (label() !== undefined) return;
  const stop = world.store.watch('nodes', world.store.revision, ({ type, object }) => {
    if (type !== 'ADDED' || object.metadata.name !== first.name) return;
    stop();
    label();
  });
}

function runExporter(host: PodHost): RunningProgram {
  const name = 'backstage.default.svc.cluster.local';
  host.log('INFO starting catalog-exporter 0.3.1');
  // A service of that name in that namespace would mend it.
  if (host.world.store.get('services', 'default', 'backstage') !== undefined) return serveAfter(host, 1_000);
  return failAfter(host, 900, [
    `FATAL cannot read the catalog: Get "http://${name}:3000/api/catalog/entities": dial tcp: lookup ${name} on 10.96.0.10:53: no such host`,
  ]);
}

/** Killed with its node, the database leaves its tables to be migrated anew. */
function runDatabase(host: PodHost): RunningProgram {
  const { files } = host.machine;
  host.log('PostgreSQL Database directory appears to contain a database; Skipping initialization');
  return {
    ...serveAfter(host, 2_500),
    ended(crashed) {
      if (crashed) files.write(dirtyMark, 'interrupted\n');
    },
  };
}

function runKagent(host: PodHost): RunningProgram {
  const { world, scope } = host;
  let ready = false;
  if (!servicesWork(host.machine)) {
    return failAfter(host, 5_000, [
      'failed to initialize database: lookup kagent-pgvector.kagent.svc.cluster.local on 10.96.0.10:53: i/o timeout',
    ]);
  }
  const database = world.store.get('pods', 'kagent', 'kagent-pgvector-0');
  if (database === undefined || !isReady(database)) {
    return failAfter(host, 1_000, [
      'failed to initialize database: dial tcp kagent-pgvector.kagent.svc.cluster.local:5432: connect: connection refused',
    ]);
  }
  const node = (database.spec as NodeSpec)['nodeName'];
  const files = world.machines().find(({ name }) => name === node)?.files;
  const needsMigration = files?.stat(dirtyMark) !== undefined;
  host.log(needsMigration ? 'migrating database: rebuilding vector indexes' : 'database is up to date');
  scope.schedule(needsMigration ? migrationMs : 3_000, () => {
    files?.remove(dirtyMark);
    ready = true;
    host.log('server listening on :8083');
    host.changed();
  });
  return { started: () => ready, live: () => true, ready: () => ready, stopMs: 500 };
}
