import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Fault } from './fault.ts';

const kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), 'certificate-authority-data': z.string() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.string(), 'client-key-data': z.string() }) }),
  ]),
});

/**
 * A kubeconfig whose entry for the cluster names a port that nobody publishes, with two contexts of other people's
 * clusters around it, written by hand: comments, flow style, odd quoting. The lab's own kubeconfig stays as it is.
 */
export const kubeconfigPort: Fault = {
  name: 'kubeconfig-port',
  summary: "write a kubeconfig with a wrong port for the cluster's server and two foreign contexts",
  argument: '[FILE]',
  async stage(cluster, argument) {
    const file = resolve(argument ?? join(cluster.lab.home, 'kubeconfig-wrong-port'));
    const text = await cluster.lab.run(['kind', 'get', 'kubeconfig', '--name', cluster.name]);
    const parsed = kubeconfig.parse(parse(text));
    const right = new URL(parsed.clusters[0].cluster.server);
    const wrong = new URL(right);
    wrong.port = String(Number(right.port) === 65535 ? 1024 : Number(right.port) + 1);
    const server = wrong.origin;
    await writeFile(file, renderKubeconfig(`kind-${cluster.name}`, server, parsed), { mode: 0o600 });
    await chmod(file, 0o600);
    return { file, server, shouldBe: right.origin, foreignContexts: ['staging', 'production'] };
  },
};

function renderKubeconfig(name: string, server: string, parsed: z.infer<typeof kubeconfig>): string {
  const { cluster } = parsed.clusters[0];
  const { user } = parsed.users[0];
  return `# Kept by hand. Ask the platform team before changing staging.
apiVersion: v1
kind: Config
preferences: {}
clusters:
  - name: staging
    cluster: { server: "https://staging.example.test:6443", insecure-skip-tls-verify: true }   # behind the VPN
  - name: ${name}
    cluster:
      certificate-authority-data: ${cluster['certificate-authority-data']}
      server: ${server}
  - cluster:
      server: 'https://production.example.test'
    name: production
contexts:
  - context: { cluster: staging, user: staging, namespace: shop }
    name: staging
  - context: { cluster: ${name}, user: ${name} }
    name: ${name}
  - name: production
    context:
      cluster: production
      user: production
current-context: staging
users:
  - name: staging
    user:
      token: not-a-real-token
  - name: ${name}
    user:
      client-certificate-data: ${user['client-certificate-data']}
      client-key-data: ${user['client-key-data']}
  - name: production
    user: { username: reader, password: "not: a # real one" }
`;
}
