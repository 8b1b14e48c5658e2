import { renderKubeconfig } from '../../../src/facts/testing/node-files.ts';
import { createFileSystem, type FileSystem } from '../files.ts';
import { makeUuid } from '../random.ts';
import { dockerDns, renderHosts, renderResolvConf } from './files/docker.ts';
import { entrypointPath, kubeletConf, renderEntrypoint } from './files/entrypoint-text.ts';
import { kubeletConfig, renderJoinedKubeletConf, renderKubeadmConf, renderKubeletFlags } from './files/kubeadm.ts';
import { renderLoadBalancer } from './files/load-balancer.ts';
import { renderManifests } from './files/manifests.ts';
import { namesOwnAddressInKubeletConf, type NodeImage, type NodePlace } from './image.ts';
import { describeIssuer, issueCertificate, makeKeys } from './pki/certificate.ts';
import { type ClusterAuthorities, makeAuthorities } from './pki/cluster-authorities.ts';
import {
  certificatePhases,
  type CertificateValues,
  makeLeaf,
  makePhaseCertificate,
  pkiFolder,
  validity,
} from './pki/phases.ts';

export interface ClusterRequest {
  readonly cluster: string;
  /** Every container of the cluster, control planes in the order in which they joined. */
  readonly topology: readonly NodePlace[];
  readonly image: NodeImage;
  /** Milliseconds since the epoch: the clock's. */
  readonly now: () => number;
  /** From the world's seed. Keys and serial numbers do not come from it: nothing that happens depends on them. */
  readonly random: () => number;
  /** Where the container is there already: its file system. A new one by default. */
  readonly filesOf?: (name: string) => FileSystem;
}

interface Cluster extends ClusterRequest {
  readonly authorities: ClusterAuthorities;
  readonly controlPlanes: readonly NodePlace[];
  /** The host name of the API. */
  readonly endpoint: string;
}

/** What `kind create cluster` leaves in each container: by container name. */
export function createClusterFiles(request: ClusterRequest): ReadonlyMap<string, FileSystem> {
  const controlPlanes = request.topology.filter(({ role }) => role === 'control-plane');
  const balancer = request.topology.find(({ role }) => role === 'external-load-balancer');
  const cluster: Cluster = {
    ...request,
    authorities: makeAuthorities(request.now()),
    controlPlanes,
    endpoint: balancer?.name ?? controlPlanes[0]?.name ?? '',
  };
  return new Map(
    request.topology.map((place) => {
      const files = request.filesOf?.(place.name) ?? createFileSystem(request.now);
      fillContainer(files, place, cluster);
      return [place.name, files];
    }),
  );
}

/** What Docker itself puts into every container when it starts. resolv.conf is left alone once someone has changed it. */
export function writeDockerFiles(
  files: FileSystem,
  name: string,
  addresses: readonly string[],
  nameserver: string | undefined,
): void {
  files.write('/etc/hostname', `${name}\n`);
  files.write('/etc/hosts', renderHosts(name, addresses));
  if (nameserver !== undefined) files.write('/etc/resolv.conf', renderResolvConf(nameserver));
}

/** What a node's image brings with it: the files of a container that was never started. */
export function writeImageFiles(files: FileSystem, image: NodeImage): void {
  files.write(entrypointPath, renderEntrypoint(image), { mode: 0o755 });
  files.write('/kind/version', image.kubernetes);
  files.makeDirectory('/etc/kubernetes/manifests');
}

function fillContainer(files: FileSystem, place: NodePlace, cluster: Cluster): void {
  writeDockerFiles(files, place.name, [place.ipv4, place.ipv6], place.gateway);
  for (const folder of ['/tmp', '/run', '/root', '/var/lib', '/proc', '/usr/local/bin']) files.makeDirectory(folder);
  if (place.role === 'external-load-balancer') {
    const names = cluster.controlPlanes.map(({ name }) => name);
    for (const [path, text] of renderLoadBalancer(cluster.image, names)) files.write(path, text);
    return;
  }
  fillNode(files, place, cluster);
  fillKubelet(files, place, cluster);
  if (place.role === 'control-plane') fillControlPlane(files, place, cluster);
}

function fillNode(files: FileSystem, place: NodePlace, cluster: Cluster): void {
  writeImageFiles(files, cluster.image);
  files.write('/kind/old-ipv4', place.ipv4);
  if (place.ipv6 !== '') files.write('/kind/old-ipv6', place.ipv6);
  files.write('/kind/product_name', 'kind\n');
  files.write('/kind/product_uuid', `${makeUuid(cluster.random)}\n`);
  files.write('/kind/kubeadm.conf', renderKubeadmConf(kubeadmValues(place, cluster)), { mode: 0o600 });
  files.write('/etc/resolv.conf.original', renderResolvConf(dockerDns));
  files.makeDirectory('/var/lib/kubelet', { mode: 0o700 });
  files.write(`${pkiFolder}/ca.crt`, cluster.authorities.caPem);
}

function fillKubelet(files: FileSystem, place: NodePlace, cluster: Cluster): void {
  const { image, authorities, now } = cluster;
  const folder = '/var/lib/kubelet/pki';
  files.write('/var/lib/kubelet/config.yaml', kubeletConfig);
  files.write('/var/lib/kubelet/kubeadm-flags.env', renderKubeletFlags(kubeadmValues(place, cluster)));
  const isControlPlane = place.role === 'control-plane';
  const host = isControlPlane && namesOwnAddressInKubeletConf(image) ? place.ipv4 : cluster.endpoint;
  const server = `https://${host}:6443`;
  const text =
    place.name === cluster.controlPlanes[0]?.name
      ? renderKubeconfig({
          cluster: cluster.cluster,
          user: `system:node:${place.name}`,
          server,
          authority: authorities.caPem,
        })
      : renderJoinedKubeletConf(server, authorities.caPem);
  files.write(kubeletConf, text, { mode: 0o600 });
  const client = makeLeaf({
    commonName: `system:node:${place.name}`,
    organization: 'system:nodes',
    usages: ['client'],
    issuer: authorities.issuers.ca,
    ...validity(now()),
  });
  const dated = `${folder}/kubelet-client-${new Date(now()).toISOString().slice(0, 19).replace(/[T:]/g, '-')}.pem`;
  files.write(dated, client.certificatePem + client.privateKeyPem, { mode: 0o600 });
  files.link(`${folder}/kubelet-client-current.pem`, dated);
  writeServingCertificate(files, folder, place.name, now());
}

/** The kubelet makes its own authority for its own certificate, and forgets the authority's key. */
function writeServingCertificate(files: FileSystem, folder: string, name: string, now: number): void {
  const seconds = Math.floor(now / 1000);
  const keys = makeKeys();
  const commonName = `${name}-ca@${seconds}`;
  const times = validity(now);
  const authority = issueCertificate({ commonName, keys, isAuthority: true, dnsNames: [commonName], ...times });
  const leaf = makeLeaf({
    commonName: `${name}@${seconds}`,
    usages: ['server'],
    dnsNames: [name],
    issuer: describeIssuer(commonName, keys),
    ...times,
  });
  files.write(`${folder}/kubelet.crt`, leaf.certificatePem + authority);
  files.write(`${folder}/kubelet.key`, leaf.privateKeyPem, { mode: 0o600 });
}

function fillControlPlane(files: FileSystem, place: NodePlace, cluster: Cluster): void {
  const { authorities, controlPlanes, image, now } = cluster;
  const position = controlPlanes.findIndex(({ name }) => name === place.name);
  const members = controlPlanes.slice(0, position + 1).map(({ name, ipv4 }) => ({ name, address: ipv4 }));
  const values = {
    cluster: cluster.cluster,
    name: place.name,
    address: place.ipv4,
    kubernetes: image.kubernetes,
    members,
  };
  for (const [path, text] of renderManifests(values)) files.write(path, text, { mode: 0o600 });
  files.makeDirectory('/var/lib/etcd', { mode: 0o700 });
  for (const [path, text, mode] of authorities.files) files.write(path, text, { mode });
  const certificateValues = valuesOf(place, cluster);
  for (const phase of Object.values(certificatePhases)) {
    const made = makePhaseCertificate(phase, certificateValues, authorities.issuers[phase.authority], now());
    files.write(`${pkiFolder}/${phase.base}.crt`, made.certificatePem);
    files.write(`${pkiFolder}/${phase.base}.key`, made.privateKeyPem, { mode: 0o600 });
  }
  for (const user of listUsers(place, cluster)) {
    const client = makeLeaf({
      commonName: user.name,
      ...(user.organization === undefined ? {} : { organization: user.organization }),
      usages: ['client'],
      issuer: authorities.issuers.ca,
      ...validity(now()),
    });
    const text = renderKubeconfig({
      cluster: cluster.cluster,
      user: user.name,
      server: `https://${user.host}:6443`,
      authority: authorities.caPem,
      client: { certificate: client.certificatePem, key: client.privateKeyPem },
    });
    files.write(`/etc/kubernetes/${user.file}.conf`, text, { mode: 0o600 });
  }
}

function listUsers(
  place: NodePlace,
  { controlPlanes, endpoint }: Cluster,
): { readonly file: string; readonly name: string; readonly host: string; readonly organization?: string }[] {
  const isFirst = controlPlanes[0]?.name === place.name;
  return [
    { file: 'admin', name: 'kubernetes-admin', host: endpoint, organization: 'kubeadm:cluster-admins' },
    ...(isFirst
      ? [{ file: 'super-admin', name: 'kubernetes-super-admin', host: endpoint, organization: 'system:masters' }]
      : []),
    { file: 'controller-manager', name: 'system:kube-controller-manager', host: place.ipv4 },
    { file: 'scheduler', name: 'system:kube-scheduler', host: place.ipv4 },
  ];
}

function kubeadmValues(place: NodePlace, { cluster, endpoint, image }: Cluster) {
  const role = place.role === 'control-plane' ? ('control-plane' as const) : ('worker' as const);
  return { cluster, name: place.name, role, address: place.ipv4, endpoint, kubernetes: image.kubernetes };
}

/** What kubeadm would read in /kind/kubeadm.conf; reading it costs more than all else here. */
function valuesOf(place: NodePlace, cluster: Cluster): CertificateValues {
  return {
    nodeName: place.name,
    advertiseAddress: place.ipv4,
    serviceSubnet: '10.96.0.0/16',
    extraNames: [cluster.endpoint, 'localhost', '127.0.0.1'],
  };
}
