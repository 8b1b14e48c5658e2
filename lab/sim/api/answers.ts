/** What an API server answers: documents, texts, failures as `Status` documents, and watches. */

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface WatchSink {
  /** One event, with the line's end. */
  write(line: string): void;
  /** The server has nothing more to say. */
  end(): void;
}

export interface WatchAnswer {
  readonly kind: 'watch';
  readonly status: 200;
  readonly contentType: string;
  /** Begins to write; answers a function that stops it. Nothing is written after `end`. */
  open(sink: WatchSink): () => void;
}

export type ApiAnswer = WholeAnswer | WatchAnswer;

/** Answered as a `Status` document. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  constructor(status: number, reason: string, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.reason = reason;
    this.details = details;
  }
}

export function answerJson(status: number, value: unknown): WholeAnswer {
  return { kind: 'whole', status, contentType: 'application/json', body: Buffer.from(`${JSON.stringify(value)}\n`) };
}

export function answerText(status: number, text: string): WholeAnswer {
  return { kind: 'whole', status, contentType: 'text/plain; charset=utf-8', body: Buffer.from(text) };
}

export function answerFailure(failure: ApiFailure): WholeAnswer {
  return answerJson(failure.status, makeStatus(failure));
}

export function makeStatus({ status, reason, message, details }: ApiFailure): unknown {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code: status,
  };
}

/** What the real server says of a path that is not served. */
export function answerUnknownPath(): WholeAnswer {
  return answerText(404, '404 page not found\n');
}

/** The whole of an answer; of a watch all that comes until it ends, or the signal aborts. */
export async function collectAnswer(answer: ApiAnswer, signal?: AbortSignal): Promise<WholeAnswer> {
  if (answer.kind === 'whole') return answer;
  const lines: string[] = [];
  await new Promise<void>((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const close = answer.open({ write: (line) => lines.push(line), end: resolve });
    signal?.addEventListener(
      'abort',
      () => {
        close();
        resolve();
      },
      { once: true },
    );
  });
  return { kind: 'whole', status: 200, contentType: answer.contentType, body: Buffer.from(lines.join('')) };
}
