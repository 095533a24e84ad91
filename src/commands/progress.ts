// A progress bar on stderr, drawn only where that is a terminal: what is printed or piped stays as it is.

export type Progress = {
  /** Where the work stands: a share of it from 0 to 1, and what to say beside the bar. */
  show(share: number, text?: string): void;
  /** Takes the bar away. */
  end(): void;
};

type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const BAR_COLUMNS = 24;
const FALLBACK_COLUMNS = 80;
/** Of words that change while the share does not. */
const REDRAW_MS = 100;
/** Returns to the first column and clears the line (ECMA-48). */
const CLEAR = '\r\u001b[K';

/** Opens a bar with a label before it. */
export function openProgress(label: string, screen: Screen = process.stderr): Progress {
  if (!screen.isTTY) return { show: () => {}, end: () => {} };
  let drawn = { percent: -1, text: '', ms: Number.NEGATIVE_INFINITY };
  return {
    show(share, text = '') {
      const now = { percent: Math.floor(share * 100), text, ms: performance.now() };
      const isNews = now.percent !== drawn.percent || (text !== drawn.text && now.ms - drawn.ms >= REDRAW_MS);
      if (!isNews) return;
      drawn = now;
      // A terminal that does not know its width says 0.
      const line = `${label}  ${bar(share)}  ${text}`.trimEnd().slice(0, (screen.columns || FALLBACK_COLUMNS) - 1);
      screen.write(`${CLEAR}${line}`);
    },
    end() {
      if (drawn.percent >= 0) screen.write(CLEAR);
    },
  };
}

/** A bar for a share from 0 to 1, with its percent. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_COLUMNS);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_COLUMNS - full)} ${percent} %`;
}
