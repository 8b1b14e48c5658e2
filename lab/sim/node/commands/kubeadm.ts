import { X509Certificate } from 'node:crypto';
import { planCertificatePhase, writeAll } from '../pki/kubeadm-certs.ts';
import { certificatePhases, pkiFolder } from '../pki/phases.ts';
import { type Command, type CommandCall, parseArguments, readOption } from './command.ts';

const stackTrace = 'To see the stack trace of this error execute with --v=5 or higher\n';

/** `kubeadm init phase certs PHASE [--config FILE]`, `kubeadm certs check-expiration`, `kubeadm version` */
export const kubeadm: Command = (call) => {
  const { options, words } = parseArguments(call.args, ['--config', '-o']);
  const line = words.join(' ');
  if (line === 'certs check-expiration') return checkExpiration(call);
  if (line === 'version') {
    call.print(`kubeadm version: ${call.node.files.readText('/kind/version') ?? ''}\n`);
    return 0;
  }
  const phase = /^init phase certs (\S+)$/.exec(line)?.[1];
  if (phase === undefined || (phase !== 'all' && certificatePhases[phase] === undefined)) {
    call.complain(`the simulated kubeadm makes certificates only, not: ${line}\n`);
    return 1;
  }
  const config = readOption(options, '--config') ?? '/kind/kubeadm.conf';
  for (const each of phase === 'all' ? Object.keys(certificatePhases) : [phase]) {
    const { files, name, clock } = call.node;
    const outcome = planCertificatePhase(files, { phase: each, config, hostname: name, now: clock.now() });
    if (!outcome.ok) {
      call.complain(`${outcome.reason}\n${stackTrace}`);
      return 1;
    }
    writeAll(files, outcome.writes);
    call.print(outcome.output);
  }
  return 0;
};

function checkExpiration(call: CommandCall): number {
  const titles = ['CERTIFICATE', 'EXPIRES', 'RESIDUAL TIME', 'CERTIFICATE AUTHORITY', 'EXTERNALLY MANAGED'];
  const rows = Object.entries(certificatePhases).map(([name, { base, authority }]) => {
    const pem = call.node.files.readText(`${pkiFolder}/${base}.crt`);
    const expiry = pem === undefined ? undefined : readExpiry(pem);
    if (expiry === undefined) return [`!MISSING! ${name}`, '', '', '', ''];
    const days = Math.floor((expiry - call.node.clock.now()) / 86_400_000);
    return [name, formatExpiry(expiry), days < 0 ? '<invalid>' : `${days}d`, authority.replace('/', '-'), 'no'];
  });
  const widths = titles.map(
    (title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)) + 3,
  );
  for (const row of [titles, ...rows]) call.print(`${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('')}\n`);
  return 0;
}

function readExpiry(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}

/** `Nov 30, 2027 21:04 UTC` */
function formatExpiry(milliseconds: number): string {
  const [, day, month, year, time = ''] = new Date(milliseconds).toUTCString().split(' ');
  return `${month} ${day}, ${year} ${time.slice(0, 5)} UTC`;
}
