import {
  commandFailure,
  type ExecuteStep,
  fileTimeoutMs,
  performAll,
  readNodeFile,
  temporaryPath,
} from './step-context.ts';

const kubeadmSeconds = 60;

/**
 * kubeadm keeps a certificate that is there, so both files go first, as in kind's own entrypoint. A crash in between
 * leaves "certificates/apiserver-missing", which the next run mends.
 */
export const remakeCertificate: ExecuteStep<'remake-certificate'> = async ({ node, certificate }, context) => {
  const paths = [`/etc/kubernetes/pki/${certificate}.crt`, `/etc/kubernetes/pki/${certificate}.key`];
  const kept = await Promise.all(paths.map((path) => readNodeFile(context, node, path)));
  for (const [place, path] of paths.entries()) {
    await context.run.keepBackup({ round: context.round, step: context.id, node, path }, kept[place] ?? null);
  }
  const argv = ['kubeadm', 'init', 'phase', 'certs', certificate, '--config', '/kind/kubeadm.conf'];
  try {
    const [, , made] = await performAll(
      context,
      node,
      [
        { op: 'remove', path: paths[0] ?? '' },
        { op: 'remove', path: paths[1] ?? '' },
        { op: 'run', argv, timeoutSeconds: kubeadmSeconds },
      ],
      (kubeadmSeconds + 10) * 1000,
    );
    if (made.exitCode !== 0) throw new Error(commandFailure(node, argv, made));
  } catch (error) {
    if (!context.signal.aborted) await putBack();
    throw error;
  }
  for (const path of paths) {
    const file = await readNodeFile(context, node, path);
    await context.run.keepResult({ round: context.round, step: context.id, node, path }, file?.contents ?? null);
  }
  return '';

  async function putBack(): Promise<void> {
    for (const file of kept) {
      if (file === null) continue;
      const { path, contents, mode, uid, gid } = file;
      await performAll(
        context,
        node,
        [{ op: 'replace', path, temporary: temporaryPath(context, path), contents, mode, uid, gid }],
        fileTimeoutMs,
      );
    }
  }
};
