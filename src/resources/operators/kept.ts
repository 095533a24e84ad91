// What the console keeps sealed: for one later page of a browser, a secret that is shown once or a form that was sent without a session;
// and for a person, work that goes on in their next session.
import { randomBytes } from 'node:crypto';
import { fragment, type Sql } from '../../platform/db/sql.ts';
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

type WorkPlace = { operatorId: string; id: string };

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
  const hashes = hashesOf(sealer, { cookie, id });
  const [row] = await sql<{ hash: Buffer; sealed: Buffer; isValid: boolean }>`
    delete from operator_kept where hash = any(${hashes}) returning hash, sealed, expires > now() as is_valid`;
  return row?.isValid ? (JSON.parse(sealer.open(row.sealed, contextOf(row.hash)).toString()) as Kept) : undefined;
}

/** Keeps work of a person, for a number of seconds. Nobody else can read it. */
export async function openWork(
  sql: Sql,
  sealer: Sealer,
  work: unknown,
  { operatorId, seconds }: { operatorId: string; seconds: number },
): Promise<string> {
  return keep(sql, sealer, work as Kept, { cookie: ownerOf(operatorId), seconds });
}

/** Work as it was kept last. Undefined after its time, and for another person. `isLocked`: nobody changes it until the transaction ends. */
export async function readWork(
  sql: Sql,
  sealer: Sealer,
  { operatorId, id, isLocked }: WorkPlace & { isLocked: boolean },
): Promise<unknown> {
  const place = { cookie: ownerOf(operatorId), id };
  const [row] = await sql<{ hash: Buffer; sealed: Buffer }>`
    select hash, sealed from operator_kept where hash = any(${hashesOf(sealer, place)}) and expires > now()
    ${isLocked ? fragment`for update` : fragment``}`;
  return row && JSON.parse(sealer.open(row.sealed, contextOf(row.hash)).toString());
}

/** Replaces the work, whose time stays. */
export async function saveWork(sql: Sql, sealer: Sealer, work: unknown, { operatorId, id }: WorkPlace): Promise<void> {
  const place = { cookie: ownerOf(operatorId), id };
  const [row] = await sql<{ hash: Buffer }>`
    select hash from operator_kept where hash = any(${hashesOf(sealer, place)}) and expires > now()`;
  if (!row) return;
  await sql`
    update operator_kept set sealed = ${sealer.seal(JSON.stringify(work), contextOf(row.hash))} where hash = ${row.hash}`;
}

/** In the place of a cookie. None of them has a space. */
function ownerOf(operatorId: string): string {
  return `operator ${operatorId}`;
}

function hashesOf(sealer: Sealer, { cookie, id }: { cookie: string; id: string }): Buffer[] {
  return ID.test(id) ? sealer.macs(PURPOSE, `${cookie} ${id}`).map(({ hash }) => hash) : [];
}

function contextOf(hash: Buffer): string {
  return `operator-kept:${hash.toString('hex')}`;
}
