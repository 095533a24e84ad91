// A progress bar on a terminal; elsewhere nothing, as nobody is waiting there.
const WIDTH = 20;
const EVERY_MS = 100;

export type Progress = {
  /** Where the work stands: a share of it from 0 to 1, and what to say beside the bar. */
  show(share: number, text: string): void;
  /** Takes the bar away. */
  clear(): void;
};

/** The bar, on stderr, so that the figures on stdout can be kept in a file. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show(share, text) {
      if (!stream.isTTY || performance.now() - shownMs < EVERY_MS) return;
      shownMs = performance.now();
      stream.write(`\r\x1b[2K${bar(share)} ${text}`.slice(0, (stream.columns || 80) + 5));
    },
    clear() {
      if (stream.isTTY && shownMs > 0) stream.write('\r\x1b[2K');
    },
  };
}

/** A bar for a share from 0 to 1. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)
    .toString()
    .padStart(3)} %`;
}
