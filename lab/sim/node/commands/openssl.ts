import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { printPublicKey } from '../pki/certificate.ts';
import { type Command, type CommandCall, parseArguments, readOption } from './command.ts';

/** `openssl pkey -in FILE -pubout`, `openssl x509 -in FILE -noout [-ext subjectAltName] [-enddate] [-subject] [-text] …` */
export const openssl: Command = (call) => {
  const [verb = '', ...rest] = call.args;
  if (verb === 'pkey') return printKey(call, rest);
  if (verb === 'x509') return printCertificate(call, rest);
  call.complain(`Invalid command '${verb}'; type "help" for a list.\n`);
  return 1;
};

function printKey(call: CommandCall, args: readonly string[]): number {
  const { options } = parseArguments(args, ['-in']);
  const path = readOption(options, '-in') ?? '';
  const text = call.node.files.readText(path);
  if (text === undefined) return complainMissing(call, path, 'key', 'private key');
  try {
    if (options.has('-pubout')) call.print(printPublicKey(createPublicKey(createPrivateKey(text))));
    return 0;
  } catch {
    call.complain(`Could not find private key of key from ${path}\n`);
    return 1;
  }
}

function printCertificate(call: CommandCall, args: readonly string[]): number {
  const { options } = parseArguments(args, ['-in', '-ext', '-checkend']);
  const path = readOption(options, '-in') ?? '';
  const text = call.node.files.readText(path);
  if (text === undefined) return complainMissing(call, path, 'certificate', 'certificate');
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(text);
  } catch {
    call.complain(`Could not find certificate from ${path}\nUnable to load certificate\n`);
    return 1;
  }
  const names = `X509v3 Subject Alternative Name: \n    ${certificate.subjectAltName ?? ''}\n`;
  const printed: readonly [string, string][] = [
    ['-subject', `subject=${oneLine(certificate.subject)}\n`],
    ['-issuer', `issuer=${oneLine(certificate.issuer)}\n`],
    ['-startdate', `notBefore=${certificate.validFrom}\n`],
    ['-enddate', `notAfter=${certificate.validTo}\n`],
    ['-dates', `notBefore=${certificate.validFrom}\nnotAfter=${certificate.validTo}\n`],
    ['-serial', `serial=${certificate.serialNumber}\n`],
    ['-fingerprint', `sha256 Fingerprint=${certificate.fingerprint256}\n`],
    ['-pubkey', printPublicKey(certificate.publicKey)],
    ['-text', describe(certificate, names)],
  ];
  for (const [option, output] of printed) if (options.has(option)) call.print(output);
  if (readOption(options, '-ext')?.includes('subjectAltName') === true && certificate.subjectAltName !== undefined)
    call.print(names);
  if (!options.has('-noout')) call.print(certificate.toString());
  return checkEnd(call, certificate, readOption(options, '-checkend'));
}

function checkEnd(call: CommandCall, certificate: X509Certificate, seconds: string | undefined): number {
  if (seconds === undefined) return 0;
  const expires = Date.parse(certificate.validTo) < call.node.clock.now() + Number(seconds) * 1000;
  call.print(expires ? 'Certificate will expire\n' : 'Certificate will not expire\n');
  return expires ? 1 : 0;
}

function describe(certificate: X509Certificate, names: string): string {
  const indented = names.replace(/^/gm, '            ').trimEnd();
  return `Certificate:
    Data:
        Version: 3 (0x2)
        Serial Number: 0x${certificate.serialNumber.toLowerCase()}
        Issuer: ${oneLine(certificate.issuer)}
        Validity
            Not Before: ${certificate.validFrom}
            Not After : ${certificate.validTo}
        Subject: ${oneLine(certificate.subject)}
        X509v3 extensions:
${indented}
`;
}

function oneLine(name: string): string {
  return name.split('\n').join(', ').replaceAll('=', ' = ');
}

function complainMissing(call: CommandCall, path: string, kind: string, noun: string): number {
  call.complain(
    `Could not open file or uri for loading ${kind} from ${path}
40A7D5E7F07F0000:error:80000002:system library:file_open:No such file or directory:../providers/implementations/storemgmt/file_store.c:268:calling stat(${path})
${noun === 'certificate' ? 'Unable to load certificate\n' : ''}`,
  );
  return 1;
}
