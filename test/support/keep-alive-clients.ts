// Keep-alive clients in a separate process that repeat a request after each answer.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';

const HEAD_END = '\r\n\r\n';

type Attack = { port: number; clients: number; request: string };

export type Clients = {
  /** Suspends the process. */
  pause(): void;
  resume(): void;
  /** Ends the process and returns the number of answers. */
  end(): Promise<number>;
};

export function startClients(attack: Attack): Clients {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(attack)]);
  return {
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async end() {
      child.send('end');
      const [answers] = await once(child, 'message');
      return answers as number;
    },
  };
}

/** Runs one client; an answer is complete after Content-Length bytes. */
function ask({ port, request }: Attack, onAnswer: () => void): void {
  let head = '';
  let left = 0;
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  socket.on('error', () => {});
  socket.on('close', () => ask({ port, request, clients: 1 }, onAnswer));
  socket.on('data', (data) => {
    if (left > 0) left -= data.length;
    else {
      head += data.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      left = length - (head.length - end - HEAD_END.length);
      head = '';
    }
    if (left > 0) return;
    onAnswer();
    socket.write(request);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const attack = JSON.parse(process.argv[2]!) as Attack;
  let answers = 0;
  for (let n = 0; n < attack.clients; n++) ask(attack, () => answers++);
  process.once('message', () => process.send!(answers, () => process.exit()));
}
