import { checks } from '../checks/index.ts';

/** The texts are Markdown. */
export interface Explanation {
  readonly id: string;
  readonly title: string;
  readonly layer: string;
  readonly severity: 'error' | 'warning';
  readonly meaning: string;
  readonly established: string;
  readonly done: string;
  readonly byHand: string;
  readonly page: string;
}

export function allFindingIds(): string[] {
  return checks.map(({ id }) => id);
}

/** A finding's page, docs/findings/<id>.md. */
export function explainFinding(id: string, readPage: (path: string) => string): Explanation | undefined {
  const check = checks.find((candidate) => candidate.id === id);
  if (check === undefined) return undefined;
  const page = `docs/findings/${id}.md`;
  const sections = readSections(readPage(page));
  return {
    id,
    title: check.title,
    layer: check.layer,
    severity: check.severity,
    meaning: sections.get('What it means') ?? '',
    established: sections.get('How it is established') ?? '',
    done: sections.get('What heal does') ?? '',
    byHand: sections.get('By hand') ?? '',
    page,
  };
}

/** The text under each second-level heading. */
function readSections(markdown: string): Map<string, string> {
  const parts = markdown.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n') + 1).trim()]),
  );
}
