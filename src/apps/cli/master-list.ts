// `earmark master-list import|list|remove`: the certificates of states, by which chips of documents are verified.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isId } from '../../core/ids.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import {
  importTrust,
  listMasterLists,
  MASTER_LIST_DAYS_MAX,
  removeMasterList,
} from '../../resources/documents/trust/master-list.ts';
import { readTrustFile } from '../../resources/documents/trust/read-trust-file.ts';
import { commandLineActor } from './actor.ts';
import { UsageError } from './command.ts';
import { bad, print, printTable, printText } from './output.ts';
import { withDatabase } from './with-database.ts';

type Call = { words: readonly [word: string]; json: boolean };

const DAY_MS = 24 * 3_600_000;

export async function importFile({ words: [path], json }: Call): Promise<number> {
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}.`);
  });
  const read = readTrustFile(file);
  const actor = commandLineActor();
  const result = await withDatabase(({ database }) =>
    database.transaction(async (tx) => {
      const imported = await importTrust(tx, read, { name: basename(path), by: actor.name });
      const detail = { file: basename(path), ...imported };
      await writeAudit(tx, actor, { action: 'import_master_list', detail });
      return imported;
    }),
  );
  const { lists, known, certificates, revocationLists } = result;
  const signers = read.lists.map(({ signer }) => signer);
  print({ lists, known_lists: known, certificates, revocation_lists: revocationLists, signed_by: signers.join('; ') }, json);
  return 0;
}

export async function list({ json }: { json: boolean }): Promise<number> {
  const lists = await withDatabase(({ database: { sql } }) => listMasterLists(sql), requireMigrated);
  const rows = lists.map(({ id, name, signer, signed, imported, certificates, countries }) => ({
    ...{ list_id: id, name, certificates, countries },
    ...{ signed: signed.toISOString(), age_days: ageDays(signed), imported: imported.toISOString(), signer },
  }));
  if (json) print({ lists: rows }, true);
  else {
    printTable(rows, 'No master list was imported: no chip reaches the level chip.');
    const newest = rows[0]?.age_days ?? 0;
    if (newest > MASTER_LIST_DAYS_MAX) printText(`${bad(`The newest list is ${newest} days old: import a newer one.`)}\n`);
  }
  return 0;
}

export async function remove({ words: [id], json }: Call): Promise<number> {
  const isRemoved =
    isId(id) &&
    (await withDatabase(({ database }) =>
      database.transaction(async (tx) => {
        if (!(await removeMasterList(tx, id))) return false;
        const resource = { type: 'master-list', id };
        await writeAudit(tx, commandLineActor(), { action: 'remove_master_list', resource });
        return true;
      }),
    ));
  if (!isRemoved) throw new UsageError(`There is no master list ${id}.`);
  print({ list_id: id, removed: true }, json);
  return 0;
}

function ageDays(signed: Date): number {
  return Math.floor((Date.now() - signed.getTime()) / DAY_MS);
}
