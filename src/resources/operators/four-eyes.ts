// Four eyes: whether changes take a second person, and who counts as the same person.
import type { Config } from '../../platform/config/config.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';

/** How long a person counts as the same as the one who added them or made their sign-in link, who may have signed in for them. */
export const SPONSOR_DAYS = 30;

const recent = fragment`since > now() - make_interval(days => ${SPONSOR_DAYS})`;

/**
 * Whether changes take a second person: as FOUR_EYES says, else in production once there have been two administrators. Stays so when one
 * of them is removed: the other one could have done that.
 */
export async function takesSecondPerson(tx: Sql, { fourEyes, mode }: Pick<Config, 'fourEyes' | 'mode'>): Promise<boolean> {
  if (fourEyes !== undefined) return fourEyes;
  if (mode !== 'production') return false;
  const rows = await tx`
    update installation set two_admins = coalesce(two_admins, now())
    where two_admins is not null or (select count(*) from operator where disabled is null and 'admin' = any(roles)) > 1
    returning two_admins`;
  return rows.length > 0;
}

/** Notes that a person of the console added another, or made them a sign-in link. */
export async function noteSponsor(tx: Sql, operatorId: string, sponsorId: string | null): Promise<void> {
  if (sponsorId === null || sponsorId === operatorId) return;
  await tx`
    insert into operator_sponsor (operator_id, sponsor_id, since) values (${operatorId}, ${sponsorId}, now())
    on conflict (operator_id, sponsor_id) do update set since = excluded.since`;
}

/**
 * Returns the ids of all people and applications that count as the same person as this person or application, itself included: whoever
 * one of them could have signed in as. An application counts as the people who got a secret of it, a person for some time as those who
 * added them or made them a link, and so do all others whom these added. What the command line made counts alone.
 */
export async function listSamePerson(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    with recursive behind as (
      select ${id}::uuid as id
      union select operator_id from application_maker where application_id = ${id}
      union select s.sponsor_id from behind b join operator_sponsor s on s.operator_id = b.id and ${recent}
    ), people as (
      select id from behind
      union select s.operator_id from people p join operator_sponsor s on s.sponsor_id = p.id and ${recent}
    )
    select id from people
    union select m.application_id from people p join application_maker m on m.operator_id = p.id`;
  return rows.map((row) => row.id);
}
