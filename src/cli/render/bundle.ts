import type { BundleDocument } from '../documents.ts';
import { flow } from '../text/flow.ts';
import { count } from '../text/words.ts';
import { type Look, markOf } from './look.ts';

export function describeBundle(document: BundleDocument, look: Look): string[] {
  const { path, bytes, manifest } = document;
  const { palette, width, program } = look;
  const mark = markOf(manifest.missing.length === 0 ? 'healthy' : 'warning', palette);
  const where = path ?? 'standard output';
  const of = manifest.cluster === '' ? '' : ` of ${manifest.cluster}`;
  const lines = flow(
    [
      { text: `${where}: `, style: palette.bold },
      { text: `${count(manifest.files.length, 'file')}${of}, ${formatSize(bytes)}` },
    ],
    { width, first: `${mark.style(mark.symbol)} `, rest: '  ' },
  );
  if (look.verbose)
    lines.push(
      ...describeList(
        manifest.files.map(({ path: file, what }) => `${file}: ${what}`),
        look,
      ),
    );
  if (manifest.missing.length > 0) {
    lines.push('', `  ${palette.bold('Missing')}`);
    lines.push(
      ...describeList(
        manifest.missing.map(({ what, reason }) => `${what}: ${reason}`),
        look,
      ),
    );
  }
  lines.push('', `  ${palette.bold('Removed')}`);
  const removed = manifest.removed.map(
    ({ kind, file, count: times }) => `${kind} in ${file}${times > 1 ? `, ${times} times` : ''}`,
  );
  lines.push(...describeList(removed.length > 0 ? removed : ['nothing looked like a secret'], look));
  lines.push(
    '',
    ...flow(
      [
        {
          text: 'A secret of a kind that it does not know stays in: look at the logs before you pass it on.',
          style: palette.dim,
        },
      ],
      {
        width,
        first: '  ',
      },
    ),
  );
  if (path !== null) lines.push(`  ${palette.bold('Next: ')}${palette.cyan(`${program} doctor --from ${path}`)}`);
  return lines;
}

function describeList(items: readonly string[], { width, palette }: Look): string[] {
  const bullet = markOf('note', palette);
  return items.flatMap((text) =>
    flow([{ text }], { width, first: `    ${bullet.style(bullet.symbol)} `, rest: '      ' }),
  );
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
