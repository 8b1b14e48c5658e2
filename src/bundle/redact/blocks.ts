import { harmless } from './names.ts';

/** Where in a line the value of a secret begins, and where its name does. */
export interface NamedValue {
  readonly column: number;
  readonly start: number;
}

/**
 * Takes out, line by line, the values that `find` points at: the rest of the line and what is indented below it, a
 * list, or a quoted text up to its end. `take` answers what stands in the place of a value.
 */
export function replaceBlocks<Found extends NamedValue>(
  text: string,
  find: (line: string, previous: string) => Found | null,
  take: (value: string, found: Found) => string,
): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const found = find(line, lines[index - 1] ?? '');
    if (found === null) {
      kept.push(line);
      continue;
    }
    const below = countBelow(lines, index, found.column, line.slice(found.start));
    const body = [line.slice(found.start), ...lines.slice(index + 1, index + 1 + below)].join('\n');
    if (harmless.test(body.trim())) {
      kept.push(line);
      continue;
    }
    kept.push(`${line.slice(0, found.start)}${take(body, found)}`);
    index += below;
  }
  return kept.join('\n');
}

/** An entry of a container's `env`, in one line or, with what is indented below, in two. */
const variable = /(?<!\w)name["']?\s*:\s*["']?([\w.-]+)["']?\s*,\s*["']?value["']?\s*:[ \t]*/i;
const variableName = /(?<!\w)name["']?\s*:\s*["']?([\w.-]+)["']?\s*,?\s*$/i;
const variableValue = /(?<=^\s*)["']?value["']?\s*:[ \t]*/i;

/** The value of an environment variable, and the variable's name. */
export function findVariable(line: string, previous: string): (NamedValue & { readonly name: string }) | null {
  const above = variableName.exec(previous)?.[1];
  const match = above === undefined ? null : variableValue.exec(line);
  if (above !== undefined && match !== null) return place(match, above);
  const entry = variable.exec(line);
  return entry === null ? null : place(entry, entry[1] ?? '');
}

function place(match: RegExpExecArray, name: string) {
  return { column: match.index, start: match.index + match[0].length, name };
}

/** How many lines below belong to the value. */
function countBelow(lines: readonly string[], index: number, column: number, value: string): number {
  const quote = /^["']/.exec(value)?.[0];
  let open = quote !== undefined && !closes(value.slice(1), quote);
  let count = 0;
  for (let line = lines[index + 1]; line !== undefined; line = lines[index + 1 + count]) {
    const indentation = line.length - line.trimStart().length;
    const listed = value.trim() === '' && indentation === column && line.trimStart().startsWith('- ');
    const blank = line.trim() === '';
    if (!(open || blank || indentation > column || listed)) break;
    if (open && quote !== undefined && closes(line, quote)) open = false;
    count += 1;
  }
  // Blank lines at the end separate; they are no part of the value.
  while (count > 0 && (lines[index + count] ?? '').trim() === '') count -= 1;
  return count;
}

function closes(text: string, quote: string): boolean {
  return text.replace(/\\./g, '').includes(quote);
}
