// What the console keeps for one later page of a browser: a secret that is shown once, or a form that was sent without a session.
import { randomBytes } from 'node:crypto';
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';

export type Kept = {
  /** Texts that the page shows once, by name. */
  shown?: Record<string, string>;
  /** A form that the page fills in again. */
  form?: SentForm;
  /** Shown at the top of the page. */
  message?: string;
};

/** `action`: the path it was sent to. `page`: where it was shown. */
export type SentForm = { action: string; page: string; fields: [name: string, value: string][] };

const ID_BYTES = 16;
const ID = /^[\w-]{22}$/;
const PURPOSE = 'operator kept';

/**
 * Stores what a page shows later, for a number of seconds. Returns an id for the address of that page. Only the browser with the same
 * `cookie` can take it: the id alone is worth nothing.
 */
export async function keep(
  sql: Sql,
  sealer: Sealer,
  kept: Kept,
  { cookie, seconds }: { cookie: string; seconds: number },
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const { hash } = sealer.mac(PURPOSE, `${cookie} ${id}`);
  await sql`delete from operator_kept where expires < now()`;
  await sql`
    insert into operator_kept (hash, sealed, expires)
    values (${hash}, ${sealer.seal(JSON.stringify(kept), contextOf(hash))}, now() + make_interval(secs => ${seconds}))`;
  return id;
}

/** Takes what was kept. A second call gets undefined, in any process. */
export async function takeKept(
  sql: Sql,
  sealer: Sealer,
  { cookie, id }: { cookie: string; id: string },
): Promise<Kept | undefined> {
  if (!ID.test(id)) return undefined;
  const hashes = sealer.macs(PURPOSE, `${cookie} ${id}`).map(({ hash }) => hash);
  const [row] = await sql<{ hash: Buffer; sealed: Buffer; isValid: boolean }>`
    delete from operator_kept where hash = any(${hashes}) returning hash, sealed, expires > now() as is_valid`;
  return row?.isValid ? (JSON.parse(sealer.open(row.sealed, contextOf(row.hash)).toString()) as Kept) : undefined;
}

function contextOf(hash: Buffer): string {
  return `operator-kept:${hash.toString('hex')}`;
}
