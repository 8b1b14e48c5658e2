import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import type { ContainerFacts } from '../../facts/containers.ts';
import type { HostKubeconfigFacts } from '../../facts/host.ts';
import { type Observed, seen } from '../../facts/observed.ts';
import { type KubeconfigDocument, listItems, readDocument, readScalar, SECTIONS } from '../../kubeconfig/document.ts';
import { locateKubeconfig } from '../../kubeconfig/locate.ts';
import { parseKubeconfig, readKubeconfig } from '../../kubeconfig/parse.ts';
import { serverUrl } from '../../manifests/address.ts';
import { fingerprintOfPem } from '../../pki/certificates.ts';
import type { World } from '../world.ts';
import { isLocalEndpoint } from './access.ts';
import { messageOf } from './containers.ts';

/**
 * The file that has the cluster's context, of the several that $KUBECONFIG may list: kubectl takes the first that has
 * it. Where none has it, the one that kind itself would write to.
 */
export async function findKubeconfig(
  { options, surroundings }: Pick<World, 'options' | 'surroundings'>,
  context: string,
): Promise<string> {
  const { environment, home } = surroundings;
  if (options.kubeconfig === undefined) {
    const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
    for (const path of listed.length > 1 ? listed : []) {
      const parsed = parseKubeconfig(await readFile(path, 'utf8').catch(() => ''));
      if (parsed.ok && parsed.value.contexts.some(({ name }) => name === context)) return path;
    }
  }
  return await locateKubeconfig({
    flag: options.kubeconfig,
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
  const context = `kind-${cluster}`;
  const path = await findKubeconfig(world, context);
  // A remote engine publishes its ports elsewhere: which address leads there from here is the user's to know.
  const isLocal = world.engine.ok && isLocalEndpoint(world.engine.engine.endpoint);
  const nothing = {
    path,
    reason: '',
    context,
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
  const document = readDocument(text);
  if (!document.ok)
    return seen({
      ...nothing,
      state: 'invalid',
      reason: `line ${document.line}, column ${document.column}: ${document.message}`,
    });
  const twice = findDuplicate(document);
  if (twice !== undefined) return seen({ ...nothing, state: 'invalid', reason: twice });
  const { contexts, clusters, users, currentContext } = readKubeconfig(document);
  const entry = contexts.find(({ name }) => name === context);
  const target = clusters.find(({ name }) => name === entry?.cluster);
  const authorityData = target?.certificateAuthorityData;
  return seen({
    ...nothing,
    state: 'readable',
    contextPresent: entry !== undefined,
    userPresent: users.some(({ name }) => name === entry?.user),
    server: target?.server ?? null,
    caSha256: authorityData === undefined ? null : (fingerprintOfPem(Buffer.from(authorityData, 'base64')) ?? null),
    currentContext,
  });
}

/** kubectl refuses a file in which two entries of a section have one name. */
function findDuplicate(document: KubeconfigDocument): string | undefined {
  if (document.root === undefined) return undefined;
  for (const section of SECTIONS) {
    const seenNames = new Set<string>();
    for (const item of listItems(document.root, section)) {
      const name = readScalar(item, 'name');
      if (seenNames.has(name)) {
        const { line, column } = document.failAt(item.range[0], '');
        return `line ${line}, column ${column}: two ${section} have the name "${name}"`;
      }
      seenNames.add(name);
    }
  }
  return undefined;
}
