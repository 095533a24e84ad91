// Master lists that operators imported, with the certificates of states and their revocation lists: queries.
import { createHash } from 'node:crypto';
import { newId } from '../../../core/ids.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Trust } from '../chip/verify-chip.ts';
import type { MasterList, StateRevocations, TrustFile } from './read-trust-file.ts';

type Imported = {
  id: string;
  name: string;
  signer: string;
  signed: Date;
  imported: Date;
  certificates: number;
  countries: number;
};
/** `known`: lists that had been imported before. */
type Result = { lists: number; known: number; certificates: number; revocationLists: number };

/** States renew their certificates: an older list lacks some. The service alerts. */
export const MASTER_LIST_DAYS_MAX = 90;

/** Lists belong to no account. */
const BUCKET = 0;

/** Stores what a file has. Importing a list again changes nothing; an older revocation list does not replace a newer one. */
export async function importTrust(tx: Sql, file: TrustFile, { name, by }: { name: string; by: string }): Promise<Result> {
  const result: Result = { lists: 0, known: 0, certificates: 0, revocationLists: 0 };
  for (const list of file.lists) {
    const added = await insertList(tx, list, { name, by });
    if (added === undefined) result.known++;
    else {
      result.lists++;
      result.certificates += added;
    }
  }
  for (const revocations of file.revocations) if (await insertRevocations(tx, revocations)) result.revocationLists++;
  return result;
}

/** Returns the number of certificates, or undefined if the list is known. */
async function insertList(
  tx: Sql,
  { content, signer, signed, certificates }: MasterList,
  { name, by }: { name: string; by: string },
): Promise<number | undefined> {
  const id = newId(BUCKET);
  const inserted = await tx`
    insert into master_list (id, name, signer, signed, digest, imported, imported_by)
    values (${id}, ${name}, ${signer}, coalesce(${signed ?? null}::timestamptz, now()), ${digestOf(content)}, now(), ${by})
    on conflict (digest) do nothing
    returning id`;
  if (inserted.length === 0) return undefined;
  for (const { country, validUntil, content: certificate } of certificates) {
    await tx`
      insert into state_certificate (list_id, digest, country, valid_until, content)
      values (${id}, ${digestOf(certificate)}, ${country}, ${validUntil}, ${Buffer.from(certificate)})
      on conflict do nothing`;
  }
  return certificates.length;
}

async function insertRevocations(tx: Sql, { issuer, country, updated, nextUpdate, content }: StateRevocations): Promise<boolean> {
  const rows = await tx`
    insert into revocation_list as list (issuer, country, updated, next_update, content)
    values (${digestOf(Buffer.from(issuer))}, ${country}, ${updated}, ${nextUpdate ?? null}, ${Buffer.from(content)})
    on conflict (issuer) do update set updated = excluded.updated, next_update = excluded.next_update, content = excluded.content
    where list.updated <= excluded.updated
    returning issuer`;
  return rows.length > 0;
}

/** Newest first. */
export async function listMasterLists(sql: Sql): Promise<Imported[]> {
  const rows = await sql<Omit<Imported, 'certificates' | 'countries'> & { certificates: bigint; countries: bigint }>`
    select l.id, l.name, l.signer, l.signed, l.imported, count(c.digest) as certificates, count(distinct c.country) as countries
    from master_list l
    left join state_certificate c on c.list_id = l.id
    group by l.id, l.name, l.signer, l.signed, l.imported
    order by l.signed desc, l.id desc`;
  return rows.map((row) => ({ ...row, certificates: Number(row.certificates), countries: Number(row.countries) }));
}

/** Removes a list: chips of states that no other list has are no longer trusted. Returns false if there is none. */
export async function removeMasterList(tx: Sql, id: string): Promise<boolean> {
  await tx`delete from state_certificate where list_id = ${id}`;
  return (await tx`delete from master_list where id = ${id} returning id`).length > 0;
}

/** When the newest master list was signed; undefined without one. */
export async function newestSigned(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<{ signed: Date | null }>`select max(signed) as signed from master_list`;
  return row?.signed ?? undefined;
}

export async function readTrust(sql: Sql): Promise<Trust> {
  const authorities = await sql<{ content: Buffer }>`
    select distinct on (digest) content from state_certificate order by digest, list_id`;
  const revocations = await sql<{ content: Buffer }>`select content from revocation_list order by issuer`;
  const bytes = ({ content }: { content: Buffer }) => new Uint8Array(content);
  return { authorities: authorities.map(bytes), revocationLists: revocations.map(bytes) };
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
