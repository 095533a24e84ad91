// How far a long command has come, on a terminal; nothing at all where its output goes to a file or a program.

export type Progress = {
  /** A share from 0 to 1. */
  show(share: number): void;
  /** Leaves the line empty. */
  end(): void;
};

const TO_LINE_START = '\r';
const CLEAR_LINE = '\r\x1b[K';

export function openProgress(what: string, terminal: { isTTY?: boolean; write(text: string): unknown }): Progress {
  let shown = -1;
  return {
    show(share) {
      const percent = Math.floor(share * 100);
      if (!terminal.isTTY || percent === shown) return;
      shown = percent;
      terminal.write(`${TO_LINE_START}${what} … ${percent} %`);
    },
    end() {
      if (shown >= 0) terminal.write(CLEAR_LINE);
    },
  };
}
