/** How long ago the time was, in the words of apimachinery's `duration.HumanDuration`. */
export function formatAge(time: string | undefined, now: number): string {
  const begun = Date.parse(time ?? '');
  return Number.isNaN(begun) ? '<unknown>' : formatDuration(now - begun);
}

/** Milliseconds. */
function formatDuration(duration: number): string {
  const seconds = Math.trunc(duration / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return join(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return join(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return join(Math.trunc(hours / 24), 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${Math.trunc(hours / 24)}d`;
  const years = Math.trunc(hours / (24 * 365));
  return hours < 24 * 365 * 8 ? join(years, 'y', Math.trunc(hours / 24) % 365, 'd') : `${years}y`;
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
