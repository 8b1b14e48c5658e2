/** The candidates that a mistyped word was probably meant to be, best first; none where nothing is near. */
export function findNearest(word: string, candidates: readonly string[], most = 3): string[] {
  const limit = Math.max(2, Math.floor(word.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: rate(word, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((one, other) => one.distance - other.distance || one.candidate.localeCompare(other.candidate))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** A word that is a part of the candidate, such as an id without its layer, is nearer than any misspelling. */
function rate(word: string, candidate: string): number {
  if (word.length >= 3 && candidate.includes(word)) return 0.5;
  return measureDistance(word, candidate);
}

/** Levenshtein's distance, with neighbours swapped counted once. */
function measureDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const above = rows[row - 1] ?? [];
      const same = one[row - 1] === other[column - 1];
      let best = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        best = Math.min(best, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    rows.push(current);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
