import { chmod, chown, mkdir, open, readFile, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type LockTaker, withFileLock } from '../../kubeconfig/lock.ts';
import { mergeCluster } from '../../kubeconfig/merge.ts';
import { readEntries, readText } from '../../kubeconfig/parse.ts';
import { readDocument } from '../../kubeconfig/document.ts';
import type { LockHolder, StoredFile } from '../../runs/journal.ts';
import { lockHolder } from '../../runs/lock.ts';
import { describeHolder, isHolderAlive } from '../../runs/process.ts';
import type { Surroundings } from '../surroundings.ts';
import { type ExecuteStep, PreconditionError, type StepContext } from './step-context.ts';

export const mergeKubeconfig: ExecuteStep<'merge-kubeconfig'> = async (
  { path, context: name, server, node },
  context,
) => {
  const adminConf = context.access.adminConfs.get(node);
  if (adminConf === undefined) throw new PreconditionError(`admin.conf of ${node} could not be read`);
  return await withKubeconfigLock(path, context, async () => {
    const present = await readHostFile(path);
    const merged = mergeCluster(present === null ? undefined : Buffer.from(present.contents).toString('utf8'), {
      name,
      server,
      // Whom kubectl talks to by default is the user's choice, once there is a file.
      setCurrentContext: present === null,
      ...readAdminData(adminConf),
    });
    if (!merged.ok) throw new Error(`${path}, line ${merged.line}, column ${merged.column}: ${merged.message}`);
    if (!merged.changed) return 'was so already';
    await replaceHostFile(context, path, present, {
      contents: Buffer.from(merged.text, 'utf8'),
      mode: present?.mode ?? 0o600,
      uid: present?.uid ?? -1,
      gid: present?.gid ?? -1,
    });
    return '';
  });
};

/** The base64 fields of admin.conf as they stand there. */
function readAdminData(adminConf: string) {
  const document = readDocument(adminConf);
  if (!document.ok) throw new Error(`admin.conf, line ${document.line}: ${document.message}`);
  const cluster = readEntries(document.value, 'clusters')[0]?.values ?? {};
  const user = readEntries(document.value, 'users')[0]?.values ?? {};
  const take = (values: Readonly<Record<string, unknown>>, key: string): string => {
    const value = readText(values, key);
    if (value === undefined) throw new PreconditionError(`admin.conf has no ${key}`);
    return value;
  };
  return {
    certificateAuthorityData: take(cluster, 'certificate-authority-data'),
    clientCertificateData: take(user, 'client-certificate-data'),
    clientKeyData: take(user, 'client-key-data'),
  };
}

/** A kept file of this host back in place; null removes it, since there was none. */
export async function restoreHostFile(context: StepContext, path: string, kept: StoredFile | null): Promise<string> {
  return await withKubeconfigLock(path, context, async () => {
    await replaceHostFile(context, path, await readHostFile(path), kept);
    return kept === null ? 'removed: there was none before' : '';
  });
}

/** kubectl and kind take the same lock before they write. */
async function withKubeconfigLock<T>(path: string, context: StepContext, action: () => Promise<T>): Promise<T> {
  const { surroundings } = context.world;
  return await withFileLock(
    path,
    {
      files: { open, mkdir, unlink, readFile, rename },
      taker: await describeTaker(surroundings),
      sleep: surroundings.clock.sleep,
      signal: context.signal,
    },
    action,
  );
}

const takerSchema = z.object({ rekindle: lockHolder });

async function describeTaker({ pid, platform, hostName, clock }: Surroundings): Promise<LockTaker> {
  const about = { host: hostName, command: 'heal', since: clock.now().toISOString() };
  return {
    text: `${JSON.stringify({ rekindle: await describeHolder({ pid, platform }, about) })}\n`,
    async isGone(text) {
      const holder = readTaker(text);
      return holder !== undefined && holder.host === hostName && !(await isHolderAlive(holder, platform));
    },
  };
}

function readTaker(text: string): LockHolder | undefined {
  try {
    return takerSchema.parse(JSON.parse(text)).rekindle;
  } catch {
    return undefined;
  }
}

export async function readHostFile(path: string): Promise<StoredFile | null> {
  try {
    const [contents, { mode, uid, gid }] = await Promise.all([readFile(path), stat(path)]);
    return { contents, mode: mode & 0o7777, uid, gid };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function replaceHostFile(
  context: StepContext,
  path: string,
  present: StoredFile | null,
  next: StoredFile | null,
): Promise<void> {
  const where = { round: context.round, step: context.id, node: null, path };
  await context.run.keepBackup(where, present);
  await context.run.keepResult(where, next?.contents ?? null);
  // A linked kubeconfig stays a link: the file it leads to is replaced.
  const target = present === null ? path : await realpath(path);
  if (next === null) {
    await rm(target, { force: true });
    return;
  }
  const temporary = join(dirname(target), `.rekindle-${context.run.id}-${context.round}-${context.id}`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(next.contents);
      await file.sync();
    } finally {
      await file.close();
    }
    if (next.uid !== -1 && process.getuid?.() !== next.uid) await chown(temporary, next.uid, next.gid);
    await chmod(temporary, next.mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
