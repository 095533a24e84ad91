// Progress bar on stderr, drawn only on a terminal.

export type Progress = {
  /** Shows the progress, from 0 to 1, with a text beside the bar. */
  show(share: number, text?: string): void;
  /** Removes the bar. */
  end(): void;
};

type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const BAR_COLUMNS = 24;
const FALLBACK_COLUMNS = 80;
/** Minimum interval for redrawing when only the text changes. */
const REDRAW_MS = 100;
/** Moves to the first column and clears the line (ECMA-48). */
const CLEAR = '\r\u001b[K';

/** Opens a progress bar with a label. */
export function openProgress(label: string, screen: Screen = process.stderr): Progress {
  if (!screen.isTTY) return { show: () => {}, end: () => {} };
  let drawn = { percent: -1, text: '', ms: Number.NEGATIVE_INFINITY };
  return {
    show(share, text = '') {
      const now = { percent: Math.floor(share * 100), text, ms: performance.now() };
      const isNews = now.percent !== drawn.percent || (text !== drawn.text && now.ms - drawn.ms >= REDRAW_MS);
      if (!isNews) return;
      drawn = now;
      // A terminal of unknown width reports 0 columns.
      const line = `${label}  ${bar(share)}  ${text}`.trimEnd().slice(0, (screen.columns || FALLBACK_COLUMNS) - 1);
      screen.write(`${CLEAR}${line}`);
    },
    end() {
      if (drawn.percent >= 0) screen.write(CLEAR);
    },
  };
}

/** Returns a bar with percentage for a share from 0 to 1. */
function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_COLUMNS);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_COLUMNS - full)} ${percent} %`;
}
