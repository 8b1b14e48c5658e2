import { checks } from '../checks/index.ts';
import { repairFor } from '../repairs/index.ts';

export interface Explanation {
  readonly id: string;
  readonly title: string;
  readonly layer: string;
  readonly severity: 'error' | 'warning';
  readonly meaning: string;
  readonly established: string;
  readonly done: readonly string[];
  readonly byHand: readonly string[];
  readonly page: string;
}

export function allFindingIds(): string[] {
  return checks.map(({ id }) => id);
}

/** A finding's page, docs/findings/<id>.md, with what check and repair say of themselves. */
export function explainFinding(id: string, readPage: (path: string) => string): Explanation | undefined {
  const check = checks.find((candidate) => candidate.id === id);
  if (check === undefined) return undefined;
  const page = `docs/findings/${id}.md`;
  const sections = readSections(readPage(page));
  const repair = repairFor(id);
  return {
    id,
    title: check.title,
    layer: check.layer,
    severity: check.severity,
    meaning: sections.get('What it means') ?? '',
    established: sections.get('How it is established') ?? '',
    done: [repair?.title ?? 'Nothing of its own: what follows from it is mended, finding by finding'],
    byHand: repair?.byHand ?? [],
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
