import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

/** Every file of a bundle as text, by its name in the archive. */
export async function unpackAll(bundle: Buffer): Promise<Map<string, string>> {
  const unpack = extract();
  unpack.end(gunzipSync(bundle));
  const files = new Map<string, string>();
  for await (const entry of unpack) files.set(entry.header.name, await text(entry));
  return files;
}
