// Witnesses for tests: starts `earmark witness`, and asks it as a log does.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch, startCli } from './process.ts';
import type { TestScope } from './test-scope.ts';

export type StartedWitness = Awaited<ReturnType<typeof startWitness>>;

/** Starts a witness that knows no log yet. `at`: the folder and port of one that has ended. */
export async function startWitness(
  t: TestScope,
  name: string,
  at: { folder: string; port: number } = { folder: scratch(t), port: 0 },
) {
  const { folder } = at;
  const logs = join(folder, 'logs.txt');
  if (at.port === 0) writeFileSync(logs, '# the logs of the test\n\n');
  const args = ['witness', '--name', name, '--logs', logs, '--data', join(folder, 'state'), '--port', `${at.port}`, '--json'];
  const running = startCli(t, args, {});
  const [line] = await running.printed(/^\{.*\}$/m);
  const { key, url } = JSON.parse(line) as { key: string; url: string };
  return {
    ...running,
    key,
    url,
    at: { folder, port: Number(new URL(url).port) },
    /** Lets the witness know a log, by its verifier key. */
    know: (logKey: string) => appendFileSync(logs, `${logKey}\n`),
    async ask(body: string, path = '/add-checkpoint', method = 'POST') {
      const answer = await fetch(`${url}${path}`, { method, ...(method === 'POST' && { body }) });
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    },
  };
}
