// Carries out a move of a person by the verbs of the API, once per key.
import type { Clock } from '../../core/clock.ts';
import { parseLegId, type Resource } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import { findTransfer, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { idempotencyOf, type KeyedRequest, keyOf, sealedFingerprintsOf } from '../../platform/idempotency/key.ts';
import { findAnswer } from '../../platform/idempotency/store.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Customer } from '../customers/customer.ts';
import { requireFundedCustomer } from '../funds/funded-customer.ts';
import { recordDeposit, recordWithdrawal } from '../funds/record.ts';
import { captureHold } from '../holds/capture.ts';
import { reallocate } from '../label-reallocations/reallocate.ts';
import { reverse } from '../label-reallocations/reverse.ts';
import { findLabel } from '../labels/label.ts';
import { createLedgerEntry } from '../ledger-entries/create.ts';
import { returnDeposit, returnWithdrawal } from '../returns/record.ts';
import type { Move, MoveOf } from './move.ts';

export type MoveTools = {
  clock: Clock;
  config: Config;
  database: Database;
  groups: Pick<Groups, 'near' | 'isShownInParts'>;
  lanes: Lanes;
  links: Links;
  sealer: Sealer;
};

/** `key`: a UUID. Whoever carries out the same move with it, money moves once. */
type Keyed = { move: Move; key: string };

const EVER = new Date(0);
const MAY = new Set(['write', 'funds'] as const);

/** Returns what was made: a transfer, or the hold that was captured. Refuses as the verbs do; a refusal moves nothing. */
export async function carryOut(tools: MoveTools, customer: Customer, { move, key }: Keyed): Promise<Resource> {
  const request = requestOf(customer, { move, key });
  const transfer = (id: string) => ({ type: 'transfer', id });
  const idempotency = idempotencyOf(request);
  const { accountId } = customer;
  const { sql } = tools.database;
  const funded = () => requireFundedCustomer(sql, { accountId }, customer.id);
  switch (move.kind) {
    case 'deposit':
      return transfer((await recordDeposit(tools, await funded(), bodyOf(move), idempotency)).resource.id);
    case 'withdrawal':
      return transfer((await recordWithdrawal(tools, await funded(), bodyOf(move), idempotency)).resource.id);
    case 'reallocation': {
      const hrefOf = (id: string) => ({ href: tools.links.to('label', id).href });
      const body = { _links: { from: hrefOf(move.from), to: hrefOf(move.to) }, ...bodyOf(move) };
      return transfer((await reallocate(tools, { accountId, scopes: MAY }, body, { idempotency })).resource.id);
    }
    case 'label': {
      const label = await findLabel(sql, move.label);
      if (label?.customerId !== customer.id) throw refuse('labelNotFound');
      const { amount, ...texts } = bodyOf(move);
      const signed = { ...amount, value: `${move.isOut ? '-' : ''}${amount.value}` };
      const answer = await createLedgerEntry(tools, label, { amount: signed, ...texts }, idempotency);
      return transfer(parseLegId(answer.resource.id)!.transferId);
    }
    case 'reversal': {
      const original = await requireOriginal(sql, customer, move);
      return transfer((await reverse(tools, original, bodyOf(move), { idempotency })).resource.id);
    }
    case 'return': {
      const original = await requireOriginal(sql, customer, move);
      const record = original.kind === 'deposit' ? returnDeposit : returnWithdrawal;
      return near(tools, customer, request, async (tx, now) => transfer(await record(tx, original, bodyOf(move), now)));
    }
    case 'capture':
      return near(tools, customer, request, async (tx, now) => {
        const { hold, to, ...body } = bodyOf(move);
        const wanted = { ...body, ...(to !== undefined && { _links: { to: { href: tools.links.to('label', to).href } } }) };
        await captureHold({ tx, links: tools.links }, { accountId, scopes: MAY }, hold, { request: wanted, now });
        return { type: 'hold', id: hold };
      });
  }
}

/** What the move with this key has made, however long ago; undefined if it was not carried out, or is being so. */
export async function findMade(tools: MoveTools, customer: Customer, keyed: Keyed): Promise<Resource | undefined> {
  const request = requestOf(customer, keyed);
  const fingerprints = [idempotencyOf(request)!.fingerprint, ...sealedFingerprintsOf(request, tools.sealer)];
  const wanted = { bucket: customer.bucket, key: keyOf(request)!, fingerprints, since: EVER };
  const answer = await findAnswer(tools.database.sql, wanted);
  if (!answer) return undefined;
  const { type, id } = answer.resource;
  return type === 'hold' ? { type, id } : { type: 'transfer', id: parseLegId(id)?.transferId ?? id };
}

function requestOf({ id, accountId }: Customer, { move, key }: Keyed): KeyedRequest {
  const headers = { 'idempotency-key': `console-${key}` };
  return { method: 'POST', url: `/console/moves/${id}`, headers, body: move, caller: { accountId } };
}

function bodyOf<Kind extends Move['kind']>({ kind: _, ...body }: MoveOf<Kind>): Omit<MoveOf<Kind>, 'kind'> {
  return body;
}

/** It locks ledger accounts, so the whole transaction runs where the customer is. */
async function near(
  tools: MoveTools,
  { bucket, accountId }: Customer,
  request: KeyedRequest,
  work: (tx: Sql, now: Date) => Promise<Resource>,
): Promise<Resource> {
  const used = { ...tools, database: tools.groups.near(bucket) };
  const { resource } = await idempotently(used, request, bucket, async (tx) => {
    return { status: 201, resource: await work(tx, tools.clock.now(accountId)) };
  });
  return resource;
}

async function requireOriginal(sql: Sql, { id }: Customer, { original }: { original: string }): Promise<StoredTransfer> {
  const transfer = await findTransfer(sql, original, 'reallocation', 'deposit', 'withdrawal');
  if (transfer?.customerId !== id) throw refuse('notFound');
  return transfer;
}
