// `earmark operator create|list|link|disable|enable` and `earmark audit-log`: the people who use the console, and what they did.
import { listAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { LINK_MINUTES } from '../../resources/operators/link.ts';
import { cleanName, findOperator, listOperators, type Operator } from '../../resources/operators/operator.ts';
import type { Role } from '../../resources/operators/role.ts';
import { change } from './change.ts';
import { CallError, UsageError } from './command.ts';
import { readName } from './name.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

type NameCall = { words: readonly [name: string]; json: boolean };

/** The most entries that `earmark audit-log` prints. */
const ENTRIES_MAX = 10_000;

export async function create({ words: [given], options, json }: NameCall & { options: { role: string[] } }): Promise<number> {
  const name = cleanName(readName('NAME', given));
  if (name === '') throw new CallError('NAME must have a visible character.');
  const roles = options.role as Role[];
  const link = await withDatabase(async (tools) => {
    const { id } = await change(tools, { kind: 'create_operator', name, roles });
    return linkFor(tools, id);
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
  const made = await withDatabase(async (tools) => linkFor(tools, (await findNamed(tools, name)).id));
  print({ link: made, minutes: LINK_MINUTES }, json);
  return 0;
}

export async function disable({ words: [name], json }: NameCall): Promise<number> {
  await withDatabase(async (tools) => {
    await change(tools, { kind: 'disable_operator', operatorId: (await findNamed(tools, name)).id });
  });
  print({ name, disabled: true }, json);
  return 0;
}

export async function enable({ words: [name], json }: NameCall): Promise<number> {
  await withDatabase(async (tools) => {
    await change(tools, { kind: 'enable_operator', operatorId: (await findNamed(tools, name)).id });
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

async function linkFor(tools: Tools, operatorId: string): Promise<string> {
  const sealer = await openSealerOf(tools);
  return (await change({ ...tools, sealer }, { kind: 'create_link', operatorId })).shown!.link!;
}
