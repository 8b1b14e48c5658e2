import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Docker } from './docker.ts';
import type { Lease } from './lease.ts';
import { DockerRefusal } from './refusal.ts';

export interface EngineRequest {
  readonly docker: Docker;
  /** The parts of the path that the route leaves open. */
  readonly parameters: readonly string[];
  readonly query: URLSearchParams;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly lease: Lease;
}

/** `taken`: the handler answers by itself. */
export type Answer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly document?: unknown }
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer }
  | 'taken';

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handle: (request: EngineRequest) => Answer | Promise<Answer>;
}

/** `GET /containers/:id/json`; `*` stands for anything, slashes too. */
export function route(path: string, handle: Route['handle']): Route {
  const [method = '', pattern = ''] = path.split(' ');
  const source = pattern.replaceAll(/:\w+/g, '([^/]+)').replaceAll('*', '(.+)');
  return { method, pattern: new RegExp(`^${source}$`), handle };
}

export function answerJson(document: unknown, status = 200): Answer {
  return { status, document };
}

export const NO_CONTENT: Answer = { status: 204 };

/** The first open part of the path. */
export function firstOf(request: EngineRequest): string {
  return request.parameters[0] ?? '';
}

/** Throws a DockerRefusal where the body is no JSON. */
export async function readJson(message: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await buffer(message)).toString('utf8');
  if (text.trim() === '') return {};
  try {
    const document: unknown = JSON.parse(text);
    return isObject(document) ? document : {};
  } catch {
    throw new DockerRefusal(400, 'invalid JSON: got a body that cannot be parsed');
  }
}

export function readFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !['', '0', 'no', 'false', 'none'].includes(value.toLowerCase());
}

export type Filters = ReadonlyMap<string, readonly string[]>;

/** Both forms that clients send: `{"label": ["a=b"]}` and `{"label": {"a=b": true}}`. */
export function readFilters(query: URLSearchParams): Filters {
  const text = query.get('filters');
  if (text === null || text === '') return new Map();
  try {
    const document: unknown = JSON.parse(text);
    return new Map(
      Object.entries(isObject(document) ? document : {}).map(([name, values]) => [
        name,
        Array.isArray(values) ? values.map(String) : Object.keys(isObject(values) ? values : {}),
      ]),
    );
  } catch {
    throw new DockerRefusal(400, 'invalid filter');
  }
}

/** Whether all wanted labels are there; `key` alone asks for any value. */
export function matchesLabels(labels: Readonly<Record<string, string>>, wanted: readonly string[] = []): boolean {
  return wanted.every((each) => {
    const [key = '', ...value] = each.split('=');
    return value.length === 0 ? key in labels : labels[key] === value.join('=');
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field's text; empty where there is none. */
export function readText(document: Readonly<Record<string, unknown>>, name: string): string {
  const value = document[name];
  return typeof value === 'string' ? value : '';
}
