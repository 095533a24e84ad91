// `earmark witness`: cosigns the checkpoints of transparency logs, so that their operator cannot show two histories.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { formatVerifier, parseVerifier, type Verifier } from '../../../packages/proof/src/note.ts';
import { createWitness } from '../../../packages/proof/src/witness.ts';
import { openWitnessState } from '../../../packages/proof/src/witness-state.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { untilSignal } from './until-signal.ts';

type Options = { name: string; logs: string; data: string; host: string | undefined; port: string | undefined };

const HOST = 'localhost';
const PORT = 8081;
/** A part of the notes of the witness: without spaces and plus signs. */
const NAME = /^[!-*,-~]{1,255}$/;

export async function witness({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const { name, logs, data, host = HOST, port = `${PORT}` } = options;
  if (!NAME.test(name))
    throw new CallError('--name takes visible ASCII characters without a plus sign, such as witness.example/w1.');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new CallError('--port takes a port.');
  readLogs(logs);
  const state = openState(data, name);
  const log = (line: object) => process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
  const server = createWitness({
    state,
    readLogs: () => readLogs(logs),
    onRefused: (refused) => log({ msg: 'a checkpoint does not extend the one that was cosigned last', ...refused }),
    onError: (error) => log({ msg: 'a request failed', error: (error as Error).message }),
  });
  try {
    server.listen(Number(port), host);
    await once(server, 'listening').catch((error: Error) => {
      throw new UsageError(`The witness cannot listen: ${error.message}.`);
    });
    const { port: opened } = server.address() as AddressInfo;
    print({ key: formatVerifier(state.signer, 'cosignature'), url: `http://${host}:${opened}`, pid: process.pid }, json);
    await untilSignal();
    server.closeIdleConnections();
    server.close();
    return 0;
  } finally {
    state.close();
  }
}

function openState(folder: string, name: string) {
  try {
    return openWitnessState(folder, name);
  } catch (error) {
    throw new UsageError(`${folder} cannot be used: ${(error as Error).message}.`);
  }
}

/** Reads the verifier keys of the logs, one a line. The file is read for each request, so that a log is added without a restart. */
function readLogs(file: string): Verifier[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const verifier = parseVerifier(line);
      if (!verifier) throw new UsageError(`${file} has a line that is not a verifier key: ${line.slice(0, 80)}.`);
      return verifier;
    });
}
