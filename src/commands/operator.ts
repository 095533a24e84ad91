// `earmark operator create|list|link|disable|enable` and `earmark audit-log`: the people who use the console, and what they did.
import { hostname, userInfo } from 'node:os';
import { requireMigrated } from '../db/migrate.ts';
import type { Sql } from '../db/sql.ts';
import { openLinks } from '../http/links.ts';
import { type Act, listAudit, writeAudit } from '../operators/audit.ts';
import { createLink, LINK_MINUTES } from '../operators/link.ts';
import {
  createOperator,
  disableOperator,
  enableOperator,
  findOperator,
  listOperators,
  type Operator,
} from '../operators/operator.ts';
import type { Role } from '../operators/role.ts';
import { CallError, UsageError } from './command.ts';
import { readName } from './name.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

type NameCall = { words: readonly [name: string]; json: boolean };

/** The most entries that `earmark audit-log` prints. */
const ENTRIES_MAX = 10_000;

export async function create({ words: [given], options, json }: NameCall & { options: { role: string[] } }): Promise<number> {
  const name = readName('NAME', given);
  const roles = options.role as Role[];
  const link = await withDatabase(async (tools) => {
    const created = await createOperator(tools.database.sql, { name, roles });
    if (!created) throw new UsageError(`There is a person named ${name} already.`);
    await note(tools.database.sql, {
      action: 'create_operator',
      resource: { type: 'operator', id: created.id },
      detail: { name, roles },
    });
    return linkFor(tools, created);
  });
  print({ name, roles: roles.join(' '), link, minutes: LINK_MINUTES }, json);
  return 0;
}

export async function list({ json }: { json: boolean }): Promise<number> {
  const operators = await withDatabase(({ database }) => listOperators(database.sql), requireMigrated);
  const rows = operators.map(({ id, name, roles, issuer, passkeys, created, disabled, lastSignIn }) => ({
    name,
    roles: roles.join(' '),
    state: disabled ? 'disabled' : 'enabled',
    passkeys,
    provider: issuer ?? '',
    created: created.toISOString(),
    last_sign_in: lastSignIn?.toISOString() ?? 'never',
    id,
  }));
  if (json) print({ operators: rows }, true);
  else printTable(rows, 'There are no people yet. Add one with `earmark operator create NAME --role admin`.');
  return 0;
}

export async function link({ words: [name], json }: NameCall): Promise<number> {
  const made = await withDatabase(async (tools) => {
    const operator = await findNamed(tools, name);
    if (operator.disabled) throw new UsageError(`${operator.name} is disabled. Use \`earmark operator enable\` first.`);
    return linkFor(tools, operator);
  });
  print({ link: made, minutes: LINK_MINUTES }, json);
  return 0;
}

export async function disable({ words: [name], json }: NameCall): Promise<number> {
  await withDatabase(async (tools) => {
    const { id } = await findNamed(tools, name);
    await tools.database.transaction((tx) => disableOperator(tx, id));
    await note(tools.database.sql, { action: 'disable_operator', resource: { type: 'operator', id } });
  });
  print({ name, disabled: true }, json);
  return 0;
}

export async function enable({ words: [name], json }: NameCall): Promise<number> {
  await withDatabase(async (tools) => {
    const { id } = await findNamed(tools, name);
    await enableOperator(tools.database.sql, id);
    await note(tools.database.sql, { action: 'enable_operator', resource: { type: 'operator', id } });
  });
  print({ name, disabled: false }, json);
  return 0;
}

export async function auditLog({
  options,
  json,
}: {
  options: { person: string | undefined; resource: string | undefined; limit: string | undefined };
  json: boolean;
}): Promise<number> {
  const limit = Number(options.limit ?? '100');
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= ENTRIES_MAX)) {
    throw new CallError(`--limit takes an integer from 1 to ${ENTRIES_MAX}.`);
  }
  const entries = await withDatabase(async (tools) => {
    const operatorId = options.person === undefined ? undefined : (await findNamed(tools, options.person)).id;
    return listAudit(tools.database.sql, { operatorId, resourceId: options.resource }, limit);
  }, requireMigrated);
  const rows = entries.map(({ created, actor, action, resourceType, resourceId, detail, place }) => ({
    time: created.toISOString(),
    person: actor,
    action,
    resource: resourceId ? `${resourceType} ${resourceId}` : '',
    place,
    detail: JSON.stringify(detail),
  }));
  if (json) print({ entries: rows.map((row, index) => ({ ...row, detail: entries[index]!.detail })) }, true);
  else printTable(rows, 'The audit log has no such entry.');
  return 0;
}

async function findNamed({ database }: Pick<Tools, 'database'>, name: string): Promise<Operator> {
  const operator = await findOperator(database.sql, { name });
  if (!operator) throw new UsageError(`There is nobody named ${name}.`);
  return operator;
}

async function linkFor(tools: Tools, operator: Operator): Promise<string> {
  const sealer = await openSealerOf(tools);
  const path = await tools.database.transaction((tx) => createLink(tx, sealer, operator.id));
  await note(tools.database.sql, { action: 'create_link', resource: { type: 'operator', id: operator.id } });
  return openLinks(tools.config).url(path);
}

/** Writes to the audit log what the user of this machine does. */
function note(sql: Sql, act: Act): Promise<void> {
  return writeAudit(sql, { operatorId: null, name: `${userInfo().username} (command line)`, place: hostname() }, act);
}
