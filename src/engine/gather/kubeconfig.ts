import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import type { ContainerFacts } from '../../facts/containers.ts';
import type { HostKubeconfigFacts } from '../../facts/host.ts';
import { type Observed, seen } from '../../facts/observed.ts';
import { locateKubeconfig } from '../../kubeconfig/locate.ts';
import { parseKubeconfig } from '../../kubeconfig/parse.ts';
import { serverUrl } from '../../manifests/address.ts';
import { fingerprintOfPem } from '../../pki/certificates.ts';
import type { World } from '../world.ts';
import { isLocalEndpoint } from './access.ts';
import { messageOf } from './containers.ts';

/** The kubeconfig that kind itself would write to. */
export async function findKubeconfig(world: Pick<World, 'options' | 'surroundings'>): Promise<string> {
  const { environment, home } = world.surroundings;
  return await locateKubeconfig({
    flag: world.options.kubeconfig,
    environment,
    home,
    exists: (path) =>
      access(path, constants.F_OK).then(
        () => true,
        () => false,
      ),
  });
}

/** What this host's kubeconfig says of the cluster. Never rejects. */
export async function gatherHostKubeconfig(
  world: World,
  cluster: string,
  port: ContainerFacts['apiPort'],
): Promise<Observed<HostKubeconfigFacts>> {
  const path = await findKubeconfig(world);
  // A remote engine publishes its ports elsewhere: which address leads there from here is the user's to know.
  const isLocal = world.engine.ok && isLocalEndpoint(world.engine.engine.endpoint);
  const nothing = {
    path,
    reason: '',
    context: `kind-${cluster}`,
    contextPresent: false,
    userPresent: false,
    server: null,
    caSha256: null,
    expectedServer:
      port === null || !isLocal ? null : serverUrl(port.hostIp === '' ? '127.0.0.1' : port.hostIp, port.hostPort),
    currentContext: '',
  };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return seen({ ...nothing, state: isMissing ? 'missing' : 'unreadable', reason: messageOf(error) });
  }
  const parsed = parseKubeconfig(text);
  if (!parsed.ok)
    return seen({
      ...nothing,
      state: 'invalid',
      reason: `line ${parsed.line}, column ${parsed.column}: ${parsed.message}`,
    });
  const { contexts, clusters, users, currentContext } = parsed.value;
  const context = contexts.find(({ name }) => name === nothing.context);
  const target = clusters.find(({ name }) => name === context?.cluster);
  const authorityData = target?.certificateAuthorityData;
  return seen({
    ...nothing,
    state: 'readable',
    contextPresent: context !== undefined,
    userPresent: users.some(({ name }) => name === context?.user),
    server: target?.server ?? null,
    caSha256: authorityData === undefined ? null : (fingerprintOfPem(Buffer.from(authorityData, 'base64')) ?? null),
    currentContext,
  });
}
