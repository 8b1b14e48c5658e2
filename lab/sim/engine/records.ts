import type { ContainerRecord, ContainerSpec } from './container.ts';
import { NO_RESTART } from './container.ts';
import { wantsRestart } from './lifecycle.ts';
import { DockerRefusal } from './refusal.ts';

export function wantsStart(record: ContainerRecord): boolean {
  // One that never ran has no exit code to judge by.
  return record.status === 'exited' && wantsRestart(record);
}

export function makeRecord(spec: ContainerSpec, id: string, createdAt: number): ContainerRecord {
  return {
    id,
    name: spec.name,
    spec,
    createdAt,
    hostname: spec.hostname ?? id.slice(0, 12),
    imageId: describeImageId(spec.image),
    status: 'created',
    exitCode: 0,
    error: '',
    restartCount: 0,
    restartPolicy: spec.restartPolicy ?? NO_RESTART,
    pid: 0,
    startedAt: undefined,
    finishedAt: undefined,
    endpoints: new Map(),
    nextDevice: 0,
    stoppedByHand: false,
    life: new AbortController(),
    cancelRestart: undefined,
    backoffMs: 0,
  };
}

export function findContainer(records: readonly ContainerRecord[], reference: string): ContainerRecord {
  const name = reference.replace(/^\//, '');
  const exact = records.find((each) => each.id === name) ?? records.find((each) => each.name === name);
  if (exact !== undefined) return exact;
  const matches = name === '' ? [] : records.filter((each) => each.id.startsWith(name));
  const [only] = matches;
  if (only === undefined) throw new DockerRefusal(404, `No such container: ${reference}`);
  if (matches.length > 1) throw new DockerRefusal(400, `multiple IDs found with provided prefix: ${reference}`);
  return only;
}

/** First those of the given order, by name, then the others by chance. */
export function sortForStart(
  records: readonly ContainerRecord[],
  order: readonly string[],
  random: () => number,
): ContainerRecord[] {
  const ranked = records.map((record) => {
    const place = order.indexOf(record.name);
    return { record, rank: place >= 0 ? place : order.length + random() };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ record }) => record);
}

/** The same for the same image, so that it needs no store of images. */
function describeImageId(image: string): string {
  let state = 0x811c9dc5;
  const digits = Array.from({ length: 64 }, (_, index) => {
    state = Math.imul(state ^ (image.charCodeAt(index % image.length) + index), 0x01000193) >>> 0;
    return (state >>> 28).toString(16);
  });
  return `sha256:${digits.join('')}`;
}
