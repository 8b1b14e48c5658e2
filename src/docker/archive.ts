import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import type { Extract, Header } from 'tar-stream';
import type { ArchiveFile } from './port.ts';

const TYPES: Readonly<Record<string, ArchiveFile['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symlink',
};

/** Reads a tar stream to its end. `onProgress` is called with every piece that comes. */
export async function readArchive(
  source: NodeJS.ReadableStream,
  options: { readonly signal: AbortSignal; readonly onProgress: () => void },
): Promise<ArchiveFile[]> {
  const { default: tar } = await import('tar-stream');
  const unpack = tar.extract();
  source.on('data', options.onProgress);
  const [files] = await Promise.all([collectFiles(unpack), pipeline(source, unpack, { signal: options.signal })]);
  return files;
}

async function collectFiles(unpack: Extract): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for await (const entry of unpack) {
    files.push(describeEntry(entry.header, await buffer(entry)));
  }
  return files;
}

/** Makes a tar archive; numeric owners only, so that no name of this host reaches the container. */
export async function writeArchive(files: readonly ArchiveFile[]): Promise<Buffer> {
  const { default: tar } = await import('tar-stream');
  const archive = tar.pack();
  const bytes = buffer(archive);
  for (const file of files) {
    // The bit outside the mode, which is not written, keeps the library from taking 0000 for "not given", that is 0644.
    const header = { name: file.path, mode: file.mode | 0o100000, uid: file.uid, gid: file.gid };
    switch (file.type) {
      case 'directory':
        archive.entry({ ...header, type: 'directory' });
        break;
      case 'symlink':
        archive.entry({ ...header, type: 'symlink', linkname: file.contents.toString('utf8') });
        break;
      case 'file':
        archive.entry({ ...header, type: 'file' }, file.contents);
        break;
      case 'other':
        archive.destroy(new Error(`${file.path} is neither file, folder nor symbolic link and cannot be written`));
        break;
    }
  }
  archive.finalize();
  return bytes;
}

function describeEntry(header: Header, contents: Buffer): ArchiveFile {
  const type = TYPES[header.type ?? 'file'] ?? 'other';
  return {
    path: header.name.replace(/^\/+|\/+$/g, ''),
    type,
    mode: (header.mode ?? 0) & 0o7777,
    uid: header.uid ?? 0,
    gid: header.gid ?? 0,
    contents: type === 'symlink' ? Buffer.from(header.linkname ?? '') : contents,
  };
}
