// The sandbox account, created at the first start: an application, a verified business with money, two labels and two beneficial owners.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { newId } from '../../core/ids.ts';
import { sandboxStart, writeAudit } from '../../ledger/audit/audit.ts';
import { openFundingAccounts } from '../../ledger/transfers/balance.ts';
import type { Transfer } from '../../ledger/transfers/post.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { currentRequest } from '../../platform/telemetry/current.ts';
import { createAccount, findAccount } from '../../resources/accounts/account.ts';
import { createOwner } from '../../resources/beneficial-owners/create.ts';
import { createCustomer } from '../../resources/customers/create.ts';
import { findCustomer } from '../../resources/customers/customer.ts';
import { createLabel, fundingOf } from '../../resources/labels/create.ts';
import { createApplication } from '../../resources/oauth/application.ts';
import { SCOPES } from '../../resources/oauth/scope.ts';
import type { Service } from '../service/service.ts';
import { type Credentials, readCredentials, reasonOf, SandboxError, sandboxFile } from './credentials.ts';

type Tools = Pick<Service, 'config' | 'database' | 'lanes' | 'sealer' | 'links' | 'clock'>;

type Known = Pick<Credentials, 'account_id' | 'client_id' | 'client_secret'>;

export type Sandbox = { file: string; created: boolean; credentials: Credentials };

const AVAILABLE = 1_000_00n;
const LABELLED = 250_00n;
const CURRENCY = 'USD';

/** Opens the sandbox account of a data directory, or creates it. Its credentials are in `sandbox.json`, readable by the owner only. */
export async function openSandbox(service: Tools): Promise<Sandbox> {
  const file = sandboxFile(service.config);
  const stored = readCredentials(file);
  const { sql, transaction } = service.database;
  const fundings: Transfer[] = [];
  const known = stored && (await findAccount(sql, stored.account_id));
  // A reset of the account deletes the customer and keeps the credentials.
  const hasCustomer = known && (await findCustomer(sql, new URL(stored.customer).pathname.split('/').at(-1)!)) !== undefined;
  const write = (credentials: Credentials) => {
    writeDraft(file, credentials);
    return credentials;
  };
  // Written before the commit: if the secret cannot be stored, no sandbox is created. The file gets its name after the money is there.
  const credentials =
    stored && hasCustomer
      ? write(rebase(stored, service))
      : await transaction(async (tx) =>
          write(await fill(tx, service, { known: known ? stored : await createSandbox(tx, service), fundings })),
        );
  if (fundings.length > 0) await post(service, fundings);
  // A crash leaves the old file or the new one, never a part.
  renameSync(draftOf(file), file);
  return { file, created: !known, credentials };
}

/** Includes the process id, because several processes may start in one data directory. */
function draftOf(file: string): string {
  return `${file}.${process.pid}.new`;
}

function writeDraft(file: string, credentials: Credentials): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draftOf(file), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new SandboxError(`The credentials of the sandbox cannot be written to ${file}: ${reasonOf(error)}.`);
  }
}

async function createSandbox(tx: Sql, service: Tools): Promise<Known> {
  const account = await createAccount(tx, 'Sandbox');
  const application = { accountId: account.id, name: 'Sandbox application', scopes: [...SCOPES] };
  const { client_id, client_secret } = await createApplication(tx, service.sealer, application);
  const actor = sandboxStart();
  const resource = { type: 'application', id: client_id };
  await writeAudit(tx, actor, { action: 'create_application', resource, detail: { scopes: application.scopes } });
  return { account_id: account.id, client_id, client_secret };
}

/** Creates a customer with two labels and two beneficial owners in an account, and adds the transfers that give it money to `fundings`. */
async function fill(
  tx: Sql,
  { links, sealer, config, clock }: Tools,
  { known, fundings }: { known: Known; fundings: Transfer[] },
): Promise<Credentials> {
  const { account_id, client_id, client_secret } = known;
  const now = clock.now(account_id);
  const context = { mode: config.mode, sealer };
  const customer = await createCustomer(tx, context, account_id, customerForm, now);
  for (const form of ownerForms) await createOwner(tx, context, { accountId: account_id }, customer.id, form, now);
  const accounts = (await openFundingAccounts(tx, customer.id, CURRENCY, now))!;
  const id = newId(customer.bucket);
  const deposit: Transfer = {
    id,
    kind: 'deposit',
    accountId: account_id,
    fromId: accounts.externalId,
    toId: accounts.availableId,
    amount: AVAILABLE + LABELLED,
    currency: CURRENCY,
    reference: 'opening deposit',
    event: { id: newId(customer.bucket), topic: 'customer_deposit_created' },
    resource: { type: 'deposit', id },
    idempotency: undefined,
    requestId: currentRequest()?.id,
  };
  const amount = { value: '0', currency: CURRENCY };
  const from = await createLabel(tx, customer, { amount, name: 'Operating' }, now);
  const to = await createLabel(tx, customer, { amount, name: 'Tax' }, now);
  fundings.splice(
    0,
    Infinity,
    deposit,
    fundingOf(account_id, accounts.availableId, { id: from, amount: LABELLED, currency: CURRENCY }),
  );
  return {
    base_url: links.url(''),
    account_id,
    client_id,
    client_secret,
    customer: links.locate({ type: 'customer', id: customer.id }),
    labels: [links.locate({ type: 'label', id: from }), links.locate({ type: 'label', id: to })],
  };
}

async function post({ lanes }: Tools, transfers: Transfer[]): Promise<void> {
  const outcomes = await lanes.postAll(transfers, { allOrNone: true });
  if (outcomes === 'unavailable' || outcomes.some(({ code }) => code !== 'posted'))
    throw new SandboxError('The sandbox gets no money: the database is unavailable.');
}

/** The same credentials with URLs under the base URL of this start. */
function rebase(stored: Credentials, { links }: Pick<Service, 'links'>): Credentials {
  const toUrl = (url: string) => links.url(new URL(url).pathname);
  return {
    ...stored,
    base_url: links.url(''),
    customer: toUrl(stored.customer),
    labels: [toUrl(stored.labels[0]), toUrl(stored.labels[1])],
  };
}

const person = { lastName: 'Example', dateOfBirth: '1985-04-12', ssn: '123-45-6789' };
const home = { address1: '1 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' };

const customerForm = {
  type: 'business',
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.com',
  address1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  businessName: 'Example Goods',
  businessType: 'llc',
  businessClassification: 'retail',
  ein: '12-3456789',
  controller: { ...person, firstName: 'Grace', title: 'Director', address: home },
} as const;

/** One owner is verified; the first name `document` makes the other one need a document. */
const ownerForms = ['Ada', 'document'].map((firstName) => ({ ...person, firstName, address: home }));
