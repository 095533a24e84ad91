// Sends bytes over a new connection and reads the response until it is closed; a connection open too long counts as hung.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/http.ts';
import { readAnswers } from '../support/raw-http.ts';

/** The bytes to send together, or pieces with a pause between them. */
export type Sent = Buffer | string | { pieces: (Buffer | string)[]; pauseMs: number };
export type Exchange = { answers: Answer[]; text: string; hung: boolean; ms: number };

/** `isHead`: the response states the length of a body that is not sent. */
export function ask(
  port: number,
  sent: Sent,
  { timeoutMs, isHead = false }: { timeoutMs: number; isHead?: boolean },
): Promise<Exchange> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const chunks: Buffer[] = [];
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, timeoutMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    // Refused and closed while bytes were still being sent.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString();
      try {
        const answers = readAnswers(isHead ? text.replace(/^content-length: .*$/im, 'content-length: 0') : text);
        resolve({ answers: answers.filter(({ status }) => status !== 100), text, hung, ms: performance.now() - startMs });
      } catch {
        reject(new Error(`the response is not HTTP: ${JSON.stringify(text.slice(0, 1000))}`));
      }
    });
    if (typeof sent === 'string' || Buffer.isBuffer(sent)) return void socket.write(sent);
    (async () => {
      for (const piece of sent.pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        await sleep(sent.pauseMs);
      }
    })();
  });
}
