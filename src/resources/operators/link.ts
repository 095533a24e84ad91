// One-time links: each signs an operator in once, within fifteen minutes.
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { hashesOf, makeSecret } from './secret.ts';

export const LINK_MINUTES = 15;
/** The link's path; the secret follows. */
export const LINK_PATH = '/console/link/';

/** Creates a link for an operator. The former links of the operator stop working. Returns its path. */
export async function createLink(tx: Sql, sealer: Sealer, operatorId: string): Promise<string> {
  const { secret, hash } = makeSecret(sealer, 'operator link');
  await tx`delete from operator_link where operator_id = ${operatorId} or expires < now()`;
  await tx`
    insert into operator_link (hash, operator_id, created, expires)
    values (${hash}, ${operatorId}, now(), now() + make_interval(mins => ${LINK_MINUTES}))`;
  return `${LINK_PATH}${secret}`;
}

/** The operator whose valid link has this secret; the link stays valid. */
export async function readLink(sql: Sql, sealer: Sealer, secret: string): Promise<string | undefined> {
  const [link] = await sql<{ operatorId: string }>`
    select operator_id from operator_link where hash = any(${hashesOf(sealer, 'operator link', secret)}) and expires > now()`;
  return link?.operatorId;
}

/** Uses a link up. Returns its operator, or undefined when it is unknown, used or expired. Of concurrent calls one gets the operator. */
export async function takeLink(tx: Sql, sealer: Sealer, secret: string): Promise<string | undefined> {
  const [link] = await tx<{ operatorId: string }>`
    delete from operator_link where hash = any(${hashesOf(sealer, 'operator link', secret)}) and expires > now()
    returning operator_id`;
  return link?.operatorId;
}
