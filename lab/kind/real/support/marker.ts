import * as z from 'zod';
import { type Cluster, kubectl, listKubernetesNodes } from '../../../scenarios/cluster.ts';
import { runInNode } from '../../../scenarios/node.ts';
import { waitFor } from '../../../scenarios/waiting.ts';

/*
 * A user's belongings: a ConfigMap, a Secret, and a workload that keeps a random number on a worker's disk. Whatever
 * happens to the cluster, they must be the same afterwards.
 */

const namespace = 'rekindle-marker';
const dataFolder = '/var/local/rekindle-marker';

const listed = z.object({
  items: z.array(
    z.object({
      kind: z.string(),
      metadata: z.object({ name: z.string(), uid: z.string(), creationTimestamp: z.string() }),
      data: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const imageList = z.object({ images: z.array(z.object({ repoTags: z.array(z.string()) })) });

/** Puts the belongings there where they are missing, and waits until the workload has written its number. */
export async function placeMarker(cluster: Cluster): Promise<void> {
  const worker = await pickWorker(cluster);
  const manifests = renderMarker(worker, await pickImage(cluster, worker));
  await cluster.lab.run(kubectl(cluster, 'apply', '--filename', '-'), { stdin: JSON.stringify(manifests) });
  await waitFor(
    cluster.lab,
    'the workload to write its number',
    async () => (await readNumber(cluster, worker)) !== '',
    {
      timeoutMs: 180_000,
    },
  );
}

/** The belongings as they are now: identities and contents as the API has them, and the number on the worker's disk. */
export async function readMarker(cluster: Cluster): Promise<Readonly<Record<string, unknown>>> {
  const answer = await cluster.lab.run(
    kubectl(
      cluster,
      '--namespace',
      namespace,
      'get',
      'configmap/marker',
      'secret/marker',
      'deployment/marker',
      '--output',
      'json',
      '--request-timeout',
      '10s',
    ),
  );
  const objects = listed.parse(JSON.parse(answer)).items.map((item) => ({
    kind: item.kind,
    uid: item.metadata.uid,
    created: item.metadata.creationTimestamp,
    data: item.data ?? null,
  }));
  return { objects, number: await readNumber(cluster, await pickWorker(cluster)) };
}

function renderMarker(worker: string, image: string): unknown {
  const metadata = { name: 'marker', namespace };
  const labels = { app: 'marker' };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { greeting: 'still here' } },
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { word: 'hidden' } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          strategy: { type: 'Recreate' },
          template: {
            metadata: { labels },
            spec: {
              nodeName: worker,
              terminationGracePeriodSeconds: 0,
              containers: [
                {
                  name: 'writer',
                  image,
                  imagePullPolicy: 'Never',
                  command: ['sh', '-c'],
                  args: [
                    'test -s /data/number || cat /proc/sys/kernel/random/uuid > /data/number; while true; do sleep 3600; done',
                  ],
                  volumeMounts: [{ name: 'data', mountPath: '/data' }],
                },
              ],
              volumes: [{ name: 'data', hostPath: { path: dataFolder, type: 'DirectoryOrCreate' } }],
            },
          },
        },
      },
    ],
  };
}

async function pickWorker(cluster: Cluster): Promise<string> {
  const nodes = await listKubernetesNodes(cluster);
  // A cluster of one node runs the user's workloads on its control plane.
  return (nodes.find((node) => node.role === 'worker') ?? nodes[0])?.name ?? '';
}

/** An image with a shell that is in the node already: the lab's own, or one that kind's images bring along. */
async function pickImage(cluster: Cluster, worker: string): Promise<string> {
  const answer = await runInNode(cluster, { name: worker }, ['crictl', 'images', '--output', 'json']);
  const tags = imageList.parse(JSON.parse(answer)).images.flatMap((image) => image.repoTags);
  const image =
    tags.find((tag) => tag.includes('lab/small:')) ?? tags.find((tag) => tag.includes('local-path-helper:'));
  if (image === undefined) {
    throw new Error(`${worker} has no image with a shell; it has ${tags.join(', ')}`);
  }
  return image;
}

async function readNumber(cluster: Cluster, worker: string): Promise<string> {
  const found = await runInNode(cluster, { name: worker }, ['find', '/var/local', '-name', 'number', '-size', '+0']);
  return found.trim() === '' ? '' : (await runInNode(cluster, { name: worker }, ['cat', found.trim()])).trim();
}
