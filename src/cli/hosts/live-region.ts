import type { Palette } from '../render/look.ts';
import type { Streams } from '../streams.ts';
import type { Clock } from '../../engine/surroundings.ts';
import { formatDuration } from '../text/duration.ts';
import { measure, truncate } from '../text/flow.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Lines at the foot of a terminal, redrawn in place, one for each thing under way; what is written goes above them. */
export interface LiveRegion {
  show(key: string, title: string): void;
  /** Where it stands; nothing where the key is not shown. */
  update(key: string, detail: string): void;
  remove(key: string): void;
  write(lines: readonly string[]): void;
  clear(): void;
}

export function openLiveRegion(streams: Streams, clock: Clock, palette: Palette): LiveRegion {
  const { stderr } = streams;
  const entries = new Map<string, { title: string; detail: string; since: number }>();
  let drawn = 0;
  let frame = 0;
  let stopTicking: (() => void) | null = null;

  const erase = (): string => {
    const text = drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[0J`;
    drawn = 0;
    return text;
  };
  const draw = (): string => {
    const lines = [...entries.values()].map(({ title, detail, since }) => {
      const time = formatDuration(clock.monotonic() - since);
      const text = detail === '' ? title : `${title}: ${detail}`;
      const shown = truncate(text, Math.max(10, stderr.columns() - measure(time) - 5));
      return `${palette.cyan(frames[frame % frames.length] ?? '')} ${shown} ${palette.dim(time)}\n`;
    });
    drawn = lines.length;
    return lines.join('');
  };
  const redraw = (above = ''): void => {
    stderr.write(erase() + above + draw());
    if (entries.size === 0) {
      stopTicking?.();
      stopTicking = null;
    } else {
      stopTicking ??= streams.every(100, () => {
        frame += 1;
        redraw();
      });
    }
  };
  return {
    show: (key, title) => {
      entries.set(key, { title, detail: '', since: clock.monotonic() });
      redraw();
    },
    update: (key, detail) => {
      const entry = entries.get(key);
      if (entry === undefined || entry.detail === detail) return;
      entry.detail = detail;
      redraw();
    },
    remove: (key) => {
      if (entries.delete(key)) redraw();
    },
    write: (lines) => redraw(lines.map((line) => `${line}\n`).join('')),
    clear: () => {
      entries.clear();
      redraw();
    },
  };
}
