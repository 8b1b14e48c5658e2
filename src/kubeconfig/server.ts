import { isMap, isScalar, type ParsedNode, Scalar } from 'yaml';
import { findItem, findPair, findValue, type KubeconfigDocument, readDocument, readScalar } from './document.ts';
import type { KubeconfigFailure } from './document.ts';
import { formatScalar } from './render.ts';

/** The `server:` of the cluster that the current context uses, and where it stands in the text. */
export interface ServerPlace {
  readonly server: string;
  /** From the key to the end of the value, as it stands in the file: `server: "https://172.18.0.2:6443"`. */
  readonly text: string;
  readonly value: Scalar.Parsed;
}

export type ReplacedText = { readonly ok: true; readonly text: string } | KubeconfigFailure;

/**
 * Puts another server into the cluster of the current context. Every other byte stays. Fails where the server is not
 * `from`: the file has changed since it was looked at.
 */
export function replaceServer(text: string, from: string, to: string): ReplacedText {
  const document = readDocument(text);
  if (!document.ok) return document;
  const place = locateServer(document);
  if (!place.ok) return place;
  const { server, value } = place.value;
  const [start, end] = value.range;
  if (server !== from) {
    return document.failAt(start, `The server is ${server} and not ${from}: the file has changed. Look at it again.`);
  }
  return { ok: true, text: text.slice(0, start) + quoteLike(value, to) + text.slice(end) };
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

function quoteLike(old: Scalar, text: string): string {
  if (old.type === Scalar.QUOTE_DOUBLE) return JSON.stringify(text);
  if (old.type === Scalar.QUOTE_SINGLE) return `'${text.replaceAll("'", "''")}'`;
  return formatScalar(text);
}
