import type { Facts } from '../../facts/facts.ts';
import { nodesOf } from '../../facts/select.ts';
import { type Check, conclude } from '../check.ts';

export const kubeconfigStale: Check = {
  id: 'host/kubeconfig-stale',
  layer: 'host',
  severity: 'error',
  title: "This host's kubeconfig leads to the cluster",
  after: ['containers/node-stopped', 'host/kubeconfig-invalid'],
  run: (facts) => {
    if (!facts.kubeconfig.ok) return conclude([], [facts.kubeconfig.reason]);
    const config = facts.kubeconfig.value;
    if (config.state === 'invalid' || config.state === 'unreadable') return { kind: 'skipped', reason: config.reason };
    const unknown: string[] = [];
    const faults: string[] = [];
    if (!config.contextPresent)
      faults.push(
        config.state === 'missing' ? `there is no ${config.path}` : `${config.path} has no context ${config.context}`,
      );
    else {
      if (config.expectedServer === null) {
        if (!isRemote(facts)) unknown.push('no published port to compare the server with');
      } else if (!isSameServer(config.server, config.expectedServer))
        faults.push(
          `its server is ${config.server ?? 'missing'}; the cluster is published at ${config.expectedServer}`,
        );
      const ca = nodesOf(facts).flatMap(({ inside }) =>
        inside?.certificates.ca.ok === true ? [inside.certificates.ca.value.sha256] : [],
      )[0];
      if (ca === undefined) unknown.push("the cluster's certificate authority could not be read");
      else if (config.caSha256 !== ca)
        faults.push(
          config.caSha256 === null
            ? 'it has no certificate authority'
            : "its certificate authority is not this cluster's",
        );
      if (!config.userPresent) faults.push('its user is missing');
    }
    if (faults.length === 0) return conclude([], unknown);
    return conclude(
      [
        {
          subject: '',
          summary: `Context ${config.context} in ${config.path} does not lead to the cluster: ${faults.join('; ')}`,
          evidence: [`${config.path} (${config.state})`, ...faults],
          // The cluster may be meant for another kubeconfig; a wrong entry misleads whoever uses it.
          ...(config.contextPresent ? {} : { severity: 'warning' as const }),
        },
      ],
      unknown,
    );
  },
};

/** kind writes 127.0.0.1; whoever made it localhost since meant the same port. */
function isSameServer(left: string | null, right: string): boolean {
  const plain = (server: string) => server.replace('://localhost:', '://127.0.0.1:').replace(/\/$/, '');
  return left !== null && plain(left) === plain(right);
}

/** Which address leads to a remote engine's ports is the user's to know. */
function isRemote({ engine }: Facts): boolean {
  return /^(ssh|tcp|https?):/.test(engine.endpoint);
}
