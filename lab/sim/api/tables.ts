/** Tables, as kubectl asks for them: the columns that the server prints, and the age as it says it. */

import type { KubeObject } from '../contracts.ts';
import { columnsOf } from './columns.ts';
import type { ObjectRequest } from './request.ts';

export type Rendering = 'whole' | 'table' | 'metadata';

/** By the first form that the caller takes. */
export function chooseRendering(accept: string): Rendering {
  const [first = ''] = accept.split(',');
  if (/;\s*as=Table\b/.test(first)) return 'table';
  return /;\s*as=PartialObjectMetadata/.test(first) ? 'metadata' : 'whole';
}

export function makeTable(
  request: ObjectRequest,
  objects: readonly KubeObject[],
  metadata: object,
  withColumns = true,
): unknown {
  const columns = columnsOf(request.stored);
  const now = request.surroundings.clock.now();
  const include = request.query.get('includeObject') ?? 'Metadata';
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withColumns
      ? columns.map(({ name, type = 'string', wide = false }) => ({
          name,
          type,
          format: name === 'Name' ? 'name' : '',
          description: name,
          priority: wide ? 1 : 0,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ read }) => read(object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : withMetadataOnly(object) }),
    })),
  };
}

export function withMetadataOnly({ metadata }: KubeObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
