import { isMap, isScalar, type ParsedNode, Scalar } from 'yaml';
import { findItem, findPair, findValue, type KubeconfigDocument, readScalar } from './document.ts';
import type { KubeconfigFailure } from './document.ts';

/** The `server:` of the cluster that the current context uses, and where it stands in the text. */
export interface ServerPlace {
  readonly server: string;
  /** From the key to the end of the value, as it stands in the file: `server: "https://172.18.0.2:6443"`. */
  readonly text: string;
  readonly value: Scalar.Parsed;
}

export function locateServer(
  document: KubeconfigDocument,
): { readonly ok: true; readonly value: ServerPlace } | KubeconfigFailure {
  const { root, text } = document;
  if (root === undefined) return document.failAt(0, 'The kubeconfig is empty.');
  const name = readScalar(root, 'current-context');
  if (name === '') return document.failAt(0, 'The kubeconfig has no current context.');
  const context = findItem(root, 'contexts', name);
  if (context === undefined) return document.failAt(0, `The current context "${name}" is not in the kubeconfig.`);
  const contextValues = findValue(context, 'context');
  const clusterName = isMap(contextValues) ? readScalar(contextValues, 'cluster') : '';
  const cluster = findItem(root, 'clusters', clusterName);
  if (cluster === undefined) {
    return document.failAt(
      context.range[0],
      `The cluster "${clusterName}" of context "${name}" is not in the kubeconfig.`,
    );
  }
  const values = findValue(cluster, 'cluster');
  const pair = isMap(values) ? findPair(values, 'server') : undefined;
  const value: ParsedNode | null | undefined = pair?.value;
  if (pair === undefined || !isScalar(value) || typeof value.value !== 'string' || value.value === '') {
    return document.failAt(cluster.range[0], `The cluster "${clusterName}" names no server.`);
  }
  if (value.type === Scalar.BLOCK_FOLDED || value.type === Scalar.BLOCK_LITERAL) {
    return document.failAt(value.range[0], 'The server is written over several lines. Write it on one line.');
  }
  return { ok: true, value: { server: value.value, text: text.slice(pair.key.range[0], value.range[1]), value } };
}
