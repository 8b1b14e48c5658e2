/** ANSI sequences: CSI, OSC and DCS up to their end, and the two-character escapes. Both the 7-bit and the 8-bit forms. */
const sequences =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Controls, and the marks that change the direction of writing or show nothing. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Text from the outside, as it may reach a terminal: one line, nothing in it but what can be seen. */
export function cleanText(text: string): string {
  return text.replace(sequences, '').replace(breaks, ' ').replace(controls, '');
}

/** As cleanText, with its line breaks and tabs left. */
export function cleanLines(text: string): string {
  return text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.split('\t').map(cleanText).join('\t'))
    .join('\n');
}

/** Fields that hold diffs or paragraphs; a line break anywhere else would let its text pass for a line of ours. */
const fieldsOfLines: ReadonlySet<string> = new Set(['diff', 'meaning', 'established', 'done', 'byHand']);

/** Every string inside a plain value, names of fields included, cleaned; those of several lines keep their breaks. */
export function cleanDeep<T>(value: T): T {
  return cleanValue(value, '') as T;
}

function cleanValue(value: unknown, field: string): unknown {
  if (typeof value === 'string') return fieldsOfLines.has(field) ? cleanLines(value) : cleanText(value);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, field));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), cleanValue(item, name)]));
  }
  return value;
}

/** JSON with the controls that JSON leaves alone escaped too, so that it can be shown as well as parsed. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(controlsInJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const controlsInJson = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
