// What a witness keeps: its key, and the latest checkpoint of each log that it cosigned. A change is on disk before it is acted on.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Signer } from './sign.ts';

export type WitnessState = {
  signer: Signer;
  /**
   * Calls `decide` with the note that was cosigned last for a log, and stores the note that it returns. No other process of the same folder
   * decides in between.
   */
  advance<Result>(origin: string, decide: (latest: string | undefined) => { result: Result; note?: string }): Result;
  close(): void;
};

const FILE = 'witness.sqlite';

/**
 * Opens the state of a witness in a folder, which must outlive the witness: with an older state it could cosign a fork. Makes the key when
 * the folder is new. Throws if the folder belongs to a witness with another name.
 */
export function openWitnessState(folder: string, name: string): WitnessState {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, FILE);
  keepPrivate(file);
  const database = new DatabaseSync(file, { timeout: 10_000 });
  // Each commit is on disk, and so is the removal of its journal.
  database.exec('pragma synchronous = extra');
  database.exec('create table if not exists witness (name text not null, private_key text not null)');
  database.exec('create table if not exists log (origin text primary key, note text not null)');
  const transaction = <Result>(run: () => Result): Result => {
    database.exec('begin immediate');
    try {
      const result = run();
      database.exec('commit');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  };
  const signer = transaction(() => readSigner(database, name));
  return {
    signer,
    advance: (origin, decide) =>
      transaction(() => {
        const row = database.prepare('select note from log where origin = ?').get(origin);
        const { result, note } = decide(row?.note as string | undefined);
        if (note !== undefined) database.prepare('insert or replace into log (origin, note) values (?, ?)').run(origin, note);
        return result;
      }),
    close: () => database.close(),
  };
}

/** Makes a file that only its owner may read, or an existing one so. SQLite gives its journal the same mode. */
function keepPrivate(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  fchmodSync(descriptor, 0o600);
  closeSync(descriptor);
}

function readSigner(database: DatabaseSync, name: string): Signer {
  const insert = database.prepare('insert into witness (name, private_key) values (?, ?)');
  const find = () =>
    database.prepare('select name, private_key from witness').get() as { name: string; private_key: string } | undefined;
  if (!find()) insert.run(name, JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })));
  const row = find()!;
  if (row.name !== name) throw new Error(`the folder belongs to the witness ${row.name}`);
  const jwk = JSON.parse(row.private_key);
  return { name, publicKey: Buffer.from(jwk.x, 'base64url'), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}
