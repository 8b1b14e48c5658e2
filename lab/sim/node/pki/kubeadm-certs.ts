import { createPublicKey, createPrivateKey, X509Certificate } from 'node:crypto';
import type { FileSystem } from '../../files.ts';
import { readIssuer } from './certificate.ts';
import {
  authorities,
  type CertificatePhase,
  certificatePhases,
  type CertificateValues,
  listNames,
  makePhaseCertificate,
  pkiFolder,
  readCertificateValues,
} from './phases.ts';

export type PhaseOutcome =
  | { readonly ok: true; readonly output: string; readonly writes: readonly FileToWrite[] }
  | { readonly ok: false; readonly reason: string };

export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/**
 * What `kubeadm init phase certs PHASE --config FILE` would do; nothing is written yet, the key comes before the
 * certificate. A certificate that is there is kept where it fits, and is an error where it does not.
 */
export function planCertificatePhase(
  files: FileSystem,
  request: { readonly phase: string; readonly config: string; readonly hostname: string; readonly now: number },
): PhaseOutcome {
  const phase = certificatePhases[request.phase];
  if (phase === undefined) return { ok: false, reason: `there is no certificate phase ${request.phase}` };
  const text = files.readText(request.config);
  if (text === undefined)
    return {
      ok: false,
      reason: `unable to read config from "${request.config}" : open ${request.config}: no such file or directory`,
    };
  try {
    return planPhase(files, phase, readCertificateValues(text, request.hostname), request.now);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `error execution phase certs/${request.phase}: ${reason}` };
  }
}

export function writeAll(files: FileSystem, writes: readonly FileToWrite[]): void {
  for (const { path, text, mode } of writes) files.write(path, text, { mode });
}

/** Throws an Error where kubeadm would give up. */
function planPhase(files: FileSystem, phase: CertificatePhase, values: CertificateValues, now: number): PhaseOutcome {
  const authority = authorities[phase.authority];
  const caBase = `${pkiFolder}/${phase.authority}`;
  const caPem = readPart(
    files,
    `${caBase}.crt`,
    `failure loading ${authority.phase} certificate authority`,
    'certificate',
  );
  const [crt, key] = [`${pkiFolder}/${phase.base}.crt`, `${pkiFolder}/${phase.base}.key`];
  if (files.read(crt) !== undefined || files.read(key) !== undefined) {
    checkExisting(files, phase, values, caPem);
    return { ok: true, output: `[certs] Using existing ${phase.title} certificate and key on disk\n`, writes: [] };
  }
  const caKey = readPart(files, `${caBase}.key`, `failure loading ${authority.phase} certificate authority`, 'key');
  const made = makePhaseCertificate(phase, values, readIssuer(caPem, caKey), now);
  const { dnsNames, ipAddresses } = listNames(phase, values);
  const names =
    phase.names === undefined
      ? ''
      : `[certs] ${phase.title} serving cert is signed for DNS names [${dnsNames.join(' ')}] and IPs [${ipAddresses.join(' ')}]\n`;
  return {
    ok: true,
    output: `[certs] Generating "${phase.title}" certificate and key\n${names}`,
    writes: [
      { path: key, text: made.privateKeyPem, mode: 0o600 },
      { path: crt, text: made.certificatePem, mode: 0o644 },
    ],
  };
}

function readPart(files: FileSystem, path: string, what: string, part: 'certificate' | 'key'): string {
  const text = files.readText(path);
  const noun = part === 'key' ? 'private key' : 'certificate';
  if (text === undefined)
    throw new Error(
      `${what}: failed to load ${part}: couldn't load the ${noun} file ${path}: open ${path}: no such file or directory`,
    );
  try {
    if (part === 'key') createPrivateKey(text);
    else void new X509Certificate(text).subject;
  } catch {
    throw new Error(
      `${what}: failed to load ${part}: couldn't load the ${noun} file ${path}: data doesn't contain a valid ${noun}`,
    );
  }
  return text;
}

function checkExisting(files: FileSystem, phase: CertificatePhase, values: CertificateValues, caPem: string): void {
  const base = `${pkiFolder}/${phase.base}`;
  readPart(files, `${base}.key`, `failure loading ${phase.title} key`, 'key');
  const certificate = new X509Certificate(
    readPart(files, `${base}.crt`, `failure loading ${phase.title} certificate`, 'certificate'),
  );
  if (!certificate.verify(createPublicKey(caPem)))
    throw new Error(`certificate ${phase.title} is not signed by corresponding CA`);
  const { dnsNames, ipAddresses } = listNames(phase, values);
  const missing =
    dnsNames.find((name) => certificate.checkHost(name) === undefined) ??
    ipAddresses.find((address) => certificate.checkIP(address) === undefined);
  if (missing === undefined) return;
  const held = (certificate.subjectAltName ?? '').replace(/(DNS|IP Address):/g, '');
  throw new Error(`certificate ${phase.title} is invalid: x509: certificate is valid for ${held}, not ${missing}`);
}
