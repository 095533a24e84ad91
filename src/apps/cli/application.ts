// `earmark application create|list|show|rotate|disable|enable`: manages the OAuth clients of an account.
import { isId } from '../../core/ids.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { findAccount } from '../../resources/accounts/account.ts';
import { type ApplicationReport, reportApplications } from '../../resources/oauth/application.ts';
import type { Scope } from '../../resources/oauth/scope.ts';
import { type KeyOptions, termsOf } from './application-keys.ts';
import { OVERLAP_HOURS } from './bounds.ts';
import { change } from './change.ts';
import { CallError, UsageError } from './command.ts';
import { readName } from './name.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

type CreateOptions = { account: string; name: string; scope: string[] } & KeyOptions;
type ClientCall<Options = object> = { words: readonly [clientId: string]; options: Options; json: boolean };

export async function create({ options, json }: { options: CreateOptions; json: boolean }): Promise<number> {
  const { account: accountId, scope } = options;
  const name = readName('--name', options.name);
  const terms = termsOf(options);
  const hasKeys = Boolean(terms.keys ?? terms.jwksUri ?? terms.trust);
  if (terms.requiredBinding && !hasKeys)
    throw new CallError('--require comes with keys here; for others, use `application secure`.');
  const made = await withDatabase(async (tools) => {
    if (!isId(accountId) || !(await findAccount(tools.database.sql, accountId))) throw noAccount(accountId);
    const wanted = { kind: 'create_application', accountId, name, scopes: scope as Scope[] } as const;
    return change({ ...tools, sealer: await openSealerOf(tools) }, hasKeys ? { ...wanted, terms } : wanted);
  });
  print({ account_id: accountId, client_id: made.id, ...(made.shown && { client_secret: made.shown.secret }) }, json);
  return 0;
}

export async function list({ options, json }: { options: { account: string | undefined }; json: boolean }): Promise<number> {
  const accountId = options.account ?? null;
  const reports = await withDatabase(async ({ database: { sql } }) => {
    if (accountId !== null && !(isId(accountId) && (await findAccount(sql, accountId)))) throw noAccount(accountId);
    return reportApplications(sql, { accountId });
  }, requireMigrated);
  if (json) print({ applications: reports.map(dataOf) }, true);
  else printTable(reports.map(rowOf), 'There are no applications.');
  return 0;
}

export async function show({ words: [clientId], json }: ClientCall): Promise<number> {
  const [report] = await withDatabase(
    ({ database }) => reportApplications(database.sql, { id: requireId(clientId) }),
    requireMigrated,
  );
  if (!report) throw noApplication(clientId);
  if (json) {
    print(dataOf(report), true);
    return 0;
  }
  const { secrets, ...row } = rowOf(report);
  print({ ...row, ...termsRow(report) }, false);
  process.stdout.write('\n');
  if (report.keys.length > 0) {
    printTable(report.keys.map(keyRow), '');
    process.stdout.write('\n');
  }
  printTable(
    report.secrets.map(({ created, expires, lastUsed }) => ({
      secret_created: created.toISOString(),
      expires: expires?.toISOString() ?? 'when it is replaced',
      last_used: lastUsed?.toISOString() ?? 'never',
    })),
    'The application has no live secrets.',
  );
  return 0;
}

export async function rotate({
  words: [clientId],
  options,
  json,
}: ClientCall<{ 'overlap-hours': string | undefined }>): Promise<number> {
  const given = options['overlap-hours'] ?? OVERLAP_HOURS.fallback;
  const id = requireId(clientId);
  const hours = /^[0-9]+(\.[0-9]+)?$/.test(given) ? Number(given) : Number.NaN;
  if (!(hours <= OVERLAP_HOURS.max)) throw new CallError(`--overlap-hours takes a number from 0 to ${OVERLAP_HOURS.max}.`);
  const { shown } = await withDatabase(async (tools) => {
    await requireKnown(tools, id);
    const sealer = await openSealerOf(tools);
    return change({ ...tools, sealer }, { kind: 'rotate_secret', applicationId: id, overlapHours: hours });
  });
  print(
    {
      client_id: clientId,
      client_secret: shown!.secret,
      older_secret_ends: new Date(Date.now() + hours * 3_600_000).toISOString(),
    },
    json,
  );
  return 0;
}

export async function disable({ words: [clientId], json }: ClientCall): Promise<number> {
  await setState(clientId, 'disable_application');
  print({ client_id: clientId, disabled: true }, json);
  return 0;
}

export async function enable({ words: [clientId], json }: ClientCall): Promise<number> {
  await setState(clientId, 'enable_application');
  print({ client_id: clientId, disabled: false }, json);
  return 0;
}

async function setState(clientId: string, kind: 'disable_application' | 'enable_application'): Promise<void> {
  const applicationId = requireId(clientId);
  await withDatabase(async (tools) => {
    await requireKnown(tools, applicationId);
    await change(tools, { kind, applicationId });
  });
}

async function requireKnown({ database }: Tools, id: string): Promise<void> {
  if ((await reportApplications(database.sql, { id })).length === 0) throw noApplication(id);
}

function requireId(clientId: string): string {
  if (!isId(clientId)) throw noApplication(clientId);
  return clientId;
}

function noApplication(clientId: string): UsageError {
  return new UsageError(`There is no application ${clientId}.`);
}

function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}.`);
}

function dataOf(report: ApplicationReport) {
  const { id, accountId, name, scopes, disabled, created, lastUsed, secrets, keys } = report;
  return {
    client_id: id,
    account_id: accountId,
    name,
    scope: scopes.join(' '),
    disabled,
    created: created.toISOString(),
    last_used: lastUsed?.toISOString(),
    secrets: secrets.map(({ created, expires, lastUsed }) => ({
      created: created.toISOString(),
      expires: expires?.toISOString(),
      last_used: lastUsed?.toISOString(),
    })),
    keys: keys.map(({ thumbprint, kid, algorithm, created, lastUsed }) => ({
      thumbprint,
      kid,
      algorithm,
      created: created.toISOString(),
      last_used: lastUsed?.toISOString(),
    })),
    ...termsOfReport(report),
  };
}

function termsOfReport({ jwksUri, trust, isSecretForbidden, requiredBinding, keyUsed }: ApplicationReport) {
  return {
    jwks_uri: jwksUri ?? undefined,
    trusted_issuer: trust?.issuer,
    trusted_subject: trust?.subject,
    key_last_used: keyUsed?.toISOString(),
    requires: requiredBinding ?? undefined,
    secret: isSecretForbidden ? 'refused' : undefined,
  };
}

function termsRow(report: ApplicationReport) {
  return Object.fromEntries(Object.entries(termsOfReport(report)).filter(([, value]) => value !== undefined));
}

function keyRow({ thumbprint, algorithm, created, lastUsed }: ApplicationReport['keys'][number]) {
  return { key: thumbprint, algorithm, key_created: created.toISOString(), last_used: lastUsed?.toISOString() ?? 'never' };
}

function rowOf(report: ApplicationReport) {
  const { client_id, account_id, name, scope, created, last_used = 'never', disabled, secrets } = dataOf(report);
  return {
    client_id,
    account_id,
    created,
    last_used,
    state: disabled ? 'disabled' : 'enabled',
    secrets: secrets.length,
    scope,
    name,
  };
}
