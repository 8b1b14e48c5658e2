import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

/**
 * Gone or unusable, in the words of the file system, the PEM reader and openssl. Any other reason (a disk that fails, a
 * command that took too long) means that nobody knows, and a certificate is not made again on such grounds.
 */
const isUnusable =
  /does not exist|not a regular file|it is empty|it holds|(certificate|key) cannot be|exit code 1(?!\d)/;

/** The entrypoint deletes both files before it makes them again; a crash in between leaves none, or one without the other. */
export const apiserverMissing: Check = {
  id: 'certificates/apiserver-missing',
  layer: 'certificates',
  severity: 'error',
  title: "The API server's certificate and key are there and belong together",
  after: ['containers/node-stopped'],
  run: (facts) =>
    judgeNodes(
      facts,
      ({ container, inside }, { problem, unknown }) => {
        const { apiserver } = inside.certificates;
        const key = inside.apiserverKeySha256;
        const unread = [
          ...(apiserver.ok ? [] : [`/etc/kubernetes/pki/apiserver.crt: ${apiserver.reason}`]),
          ...(key.ok ? [] : [`/etc/kubernetes/pki/apiserver.key: ${key.reason}`]),
        ];
        const faults = unread.filter((fault) => isUnusable.test(fault));
        for (const fault of unread) if (!isUnusable.test(fault)) unknown(fault);
        if (faults.length > 0) {
          problem({
            summary: `The API server on ${container.name} has no usable ${apiserver.ok ? 'key' : key.ok ? 'certificate' : 'certificate and key'}`,
            evidence: faults,
          });
        } else if (apiserver.ok && key.ok && apiserver.value.publicKeySha256 !== key.value) {
          problem({
            summary: `The API server's certificate and key on ${container.name} do not belong together`,
            evidence: [
              `apiserver.crt has public key ${apiserver.value.publicKeySha256}`,
              `apiserver.key has public key ${key.value}`,
            ],
          });
        }
      },
      'control-planes',
    ),
};
