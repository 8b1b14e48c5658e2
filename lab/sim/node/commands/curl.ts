import { requestApi } from './api-client.ts';
import { type Command, parseArguments, readOption } from './command.ts';

const withValue = ['--output', '-o', '--max-time', '-m', '--cacert', '--connect-timeout', '--write-out', '-w'];
const exitCodes = { refused: 7, 'no-route': 7, 'no-such-host': 6, tls: 60, timeout: 28 } as const;

/** What anybody may ask an API server: Kubernetes' role system:public-info-viewer. */
const publicPaths = /^\/(readyz|livez|healthz|version)(\/|\?|$)/;

/** `curl [--silent] [--fail] [--output FILE] [--max-time N] [--cacert FILE | --insecure] URL`, without credentials. */
export const curl: Command = async ({ args, node, print, complain, signal }) => {
  const { options, words } = parseArguments(args, withValue);
  const flags = [...options.keys()].filter((key) => !key.startsWith('--')).join('');
  const isSilent = options.has('--silent') || flags.includes('s');
  const fail = (exitCode: number, reason: string) => {
    if (!isSilent || options.has('--show-error') || flags.includes('S')) complain(`curl: (${exitCode}) ${reason}\n`);
    return exitCode;
  };
  const url = URL.canParse(words[0] ?? '') ? new URL(words[0] ?? '') : undefined;
  if (url === undefined) return fail(3, 'URL using bad/illegal format or missing URL');
  const authority = readOption(options, '--cacert');
  if (authority !== undefined && node.files.read(authority) === undefined)
    return fail(77, 'error setting certificate verify locations');
  if (url.protocol !== 'https:') return fail(7, `Failed to connect to ${url.hostname} port ${url.port}`);
  const isInsecure = options.has('--insecure') || flags.includes('k');
  if (authority === undefined && !isInsecure)
    return fail(60, 'SSL certificate problem: unable to get local issuer certificate');
  const seconds = readOption(options, '--max-time', '-m');
  const timeoutMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  const answer = await requestApi(node, { url, method: 'GET', timeoutMs, signal });
  if (!answer.ok) return fail(exitCodes[answer.why], answer.reason);
  const isAllowed = publicPaths.test(url.pathname);
  const status = isAllowed ? answer.status : 403;
  if (status >= 400 && (options.has('--fail') || flags.includes('f')))
    return fail(22, `The requested URL returned error: ${status}`);
  const output = readOption(options, '--output', '-o');
  const body = isAllowed
    ? answer.body
    : Buffer.from('{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}\n');
  if (output === undefined) print(body);
  else if (output !== '/dev/null') node.files.write(output, body);
  const wanted = readOption(options, '--write-out', '-w');
  if (wanted !== undefined) print(wanted.replaceAll('%{http_code}', String(status)).replaceAll(String.raw`\n`, '\n'));
  return 0;
};
