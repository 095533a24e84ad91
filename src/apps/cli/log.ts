// `earmark log continue`, and the same step of `earmark restore`: continues the transparency logs of a restored database.
import { readFileSync } from 'node:fs';
import type { Checkpoint } from '../../../packages/proof/src/note.ts';
import { continueLog, countHeld, forkLogs, readAuditorsCheckpoint } from '../../ledger/log/continue.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/sql.ts';
import { CallError } from './command.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

type Options = { checkpoint: string[]; 'fork-log': boolean };
type Given = { note: string; checkpoint: Checkpoint };

export async function continueLogs({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const given = readCheckpoints(options);
  if (given.length === 0 && !options['fork-log']) throw new CallError('log continue needs --checkpoint or --fork-log.');
  print(await withDatabase(({ database }) => applyToLogs(database, given, options), requireMigrated), json);
  return 0;
}

/** Reads the files before the command changes anything. */
export function readCheckpoints({ checkpoint: files }: Options): Given[] {
  return files.map((file) => {
    let note: string;
    try {
      note = readFileSync(file, 'utf8');
    } catch (error) {
      throw new CallError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
    return { note, checkpoint: readAuditorsCheckpoint(note, file) };
  });
}

/** Continues the logs of the checkpoints, and forks the other ones that are held if the operator says so. */
export async function applyToLogs(database: Database, given: Given[], options: Pick<Options, 'fork-log'>) {
  for (const { note, checkpoint } of given) await continueLog(database, note, checkpoint);
  const forked = options['fork-log'] ? await forkLogs(database) : 0;
  return { continued: given.length, forked, held: await countHeld(database.sql) };
}
