import picocolors from 'picocolors';
import type { OutputStream } from '../streams.ts';
import type { Surroundings } from '../../engine/surroundings.ts';
import type { Style } from '../text/flow.ts';

export interface Palette {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly cyan: Style;
}

/** How a result is to be drawn. */
export interface Look {
  readonly palette: Palette;
  /** Columns; infinite where nothing is to be wrapped. */
  readonly width: number;
  /** With the evidence. */
  readonly verbose: boolean;
  /** What the user typed: `rekindle` or `kubectl rekindle`. */
  readonly program: string;
}

export function makePalette(coloured: boolean): Palette {
  const { bold, dim, red, green, yellow, cyan } = picocolors.createColors(coloured);
  return { bold, dim, red, green, yellow, cyan };
}

/** --no-color and NO_COLOR win over FORCE_COLOR, and that over what the stream is. */
export function wantsColor(
  stream: OutputStream,
  environment: Surroundings['environment'],
  allowedByFlag: boolean,
): boolean {
  if (!allowedByFlag || (environment['NO_COLOR'] ?? '') !== '') return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isCapableTerminal(stream, environment);
}

/** A terminal on which lines can be redrawn. */
export function isCapableTerminal(stream: OutputStream, environment: Surroundings['environment']): boolean {
  return stream.isTerminal && environment['TERM'] !== 'dumb';
}

/** Lines longer than this are hard to read, however wide the window is. */
const widestLine = 110;

export function readWidth(stream: OutputStream): number {
  return stream.isTerminal ? Math.max(40, Math.min(stream.columns(), widestLine)) : Number.POSITIVE_INFINITY;
}

export interface Mark {
  readonly symbol: string;
  readonly style: Style;
}

export function markOf(
  what: 'healthy' | 'degraded' | 'broken' | 'unknown' | 'error' | 'warning' | 'note',
  palette: Palette,
): Mark {
  switch (what) {
    case 'healthy':
      return { symbol: '✔', style: palette.green };
    case 'degraded':
    case 'warning':
      return { symbol: '!', style: palette.yellow };
    case 'broken':
    case 'error':
      return { symbol: '✖', style: palette.red };
    case 'unknown':
      return { symbol: '?', style: palette.yellow };
    case 'note':
      return { symbol: '•', style: palette.dim };
  }
}
