import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { LockHolder } from './journal.ts';

/** What tells a process from a later one of the same number. */
export interface ProcessState {
  readonly exists: boolean;
  /** When it started, in the platform's own terms; null where the platform does not tell. */
  readonly start: string | null;
}

/** Asks the system about one process of this host. */
export async function inspectProcess(pid: number, platform: NodeJS.Platform): Promise<ProcessState> {
  if (!isRunning(pid)) return { exists: false, start: null };
  if (platform === 'linux') return await inspectThroughProc(pid);
  if (platform === 'win32') return { exists: true, start: null };
  return { exists: true, start: await askPs(pid) };
}

/**
 * Whether the process that took a lock on this host is still there. A process that has its number but started at
 * another time is not it: after a crash of the whole machine low numbers are soon taken again. In doubt: alive.
 */
export async function isHolderAlive(holder: LockHolder, platform: NodeJS.Platform): Promise<boolean> {
  const state = await inspectProcess(holder.pid, platform);
  if (!state.exists) return false;
  return holder.processStart === undefined || state.start === null || holder.processStart === state.start;
}

/** The holder to record for a process of this host. */
export async function describeHolder(
  process: { readonly pid: number; readonly platform: NodeJS.Platform },
  about: { readonly host: string; readonly command: string; readonly since: string },
): Promise<LockHolder> {
  const { start } = await inspectProcess(process.pid, process.platform);
  return { pid: process.pid, ...about, ...(start === null ? {} : { processStart: start }) };
}

function isRunning(pid: number): boolean {
  // 0 and negative numbers mean process groups; more than 31 bits are cut by the system.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid > 0x7fffffff) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's process, but there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Fields 3 (state) and 22 (start, in clock ticks since boot) of proc_pid_stat(5); the boot id tells boots apart. */
async function inspectThroughProc(pid: number): Promise<ProcessState> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ended = fields[0] === 'Z' || fields[0] === 'X';
    return { exists: !ended, start: fields[19] === undefined ? null : `${boot}:${fields[19]}` };
  } catch {
    return { exists: isRunning(pid), start: null };
  }
}

/** macOS and the BSDs have no /proc; `ps` tells the start to the second. Fixed zone and locale make it comparable. */
async function askPs(pid: number): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('/bin/ps', ['-p', String(pid), '-o', 'lstart='], {
      env: { LC_ALL: 'C', TZ: 'UTC' },
      timeout: 5000,
    });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}
