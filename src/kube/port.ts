/** A cluster's API server by raw paths (`/api/v1/nodes`), so that HTTPS and `kubectl` in a node serve it alike. */

export type KubeFailureKind = 'unreachable' | 'timeout' | 'unauthorized' | 'not-found' | 'conflict' | 'failed';

export class KubeError extends Error {
  readonly kind: KubeFailureKind;
  /** HTTP status where the server answered, else 0. */
  readonly status: number;
  constructor(kind: KubeFailureKind, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'KubeError';
    this.kind = kind;
    this.status = options.status ?? 0;
  }
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

export interface KubeRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Every method rejects with a KubeError and nothing else. */
export interface KubeApi {
  /** `published-port`: straight from this host. `node`: by `kubectl` inside a control-plane node. */
  readonly via: 'published-port' | 'node';
  /** For people: `https://127.0.0.1:41777`, or `kubectl in idp-mvp-control-plane`. */
  readonly endpoint: string;
  /** An object, a list (in pages of 500, joined), or the text of a plain endpoint such as `/readyz`. */
  get(path: string, options: KubeRequestOptions): Promise<unknown>;
  patch(
    path: string,
    type: 'merge' | 'json' | 'strategic',
    body: unknown,
    options: KubeRequestOptions,
  ): Promise<unknown>;
  delete(path: string, options: KubeRequestOptions & { readonly preconditionUid?: string }): Promise<void>;
  /** From the given resource version on; ends when the signal aborts or the server closes. */
  watch(
    path: string,
    options: { readonly resourceVersion: string; readonly signal: AbortSignal },
  ): AsyncIterable<WatchEvent>;
}

/** What is needed to talk to an API server; taken from a node's admin.conf, held in memory only. */
export interface KubeCredentials {
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}
