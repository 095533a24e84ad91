// Sends text that would run a script, if it became markup, in every free-text field of the API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { customerForm, ownerForm } from '../support/data.ts';
import { idOf } from '../support/http.ts';
import { ROOT } from '../support/paths.ts';
import type { openUploads } from '../support/uploads.ts';
import { PAYLOAD } from './stage.ts';

type Uploads = Awaited<ReturnType<typeof openUploads>>;
type Schema = {
  $ref?: string;
  type?: string;
  pattern?: string;
  format?: string;
  maxLength?: number;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

/** Operations whose text is not shown, or has the fields of one that is sent. */
const NOT_SENT = [
  ...['updateCustomer', 'updateLabel', 'updateAllocationRule', 'updateBeneficialOwner'],
  // Their rules and amounts are read before they are stored.
  'updateSchedule',
  ...['createWebhookSubscription', 'rotateWebhookSecret', 'createToken', 'revokeToken', 'introspectToken'],
];
/** Amounts of a schedule: parsed, and not stored as they are written. */
const READ = ['above', 'upTo'];
/** Patterns that leave no room for markup: codes, amounts and numbers. */
const HARMLESS = /^\^(?!\[\^)(?!\[!-~\])/;

/** Of a schedule: in local time. */
const START = '2030-01-01T09:00:00';

const text = (length: number) => PAYLOAD.slice(0, length);
const usd = (value: string) => ({ value, currency: 'USD' });
const metadata = { hostile: text(500) };
/** The texts of a transfer. An external id has no spaces. */
const about = (id: string) => ({
  reference: text(255),
  correlationId: text(255),
  externalId: `${id}"><script>window.stolen=1</script>`,
  metadata,
});
const address = {
  address1: text(100),
  address2: text(100),
  address3: text(100),
  city: text(100),
  stateProvinceRegion: text(100),
};

function hostileCustomer() {
  return {
    ...customerForm(),
    ...{ firstName: text(50), lastName: text(50), businessName: text(100), doingBusinessAs: text(100) },
    ...{ address1: text(100), address2: text(100), city: text(100), businessClassification: text(100) },
    website: 'https://example.com/"><script>window.stolen=1</script>',
    ...{ correlationId: text(255), externalId: '"><script>window.stolen=1</script>', metadata },
  };
}

/** Returns the paths of the console's pages about what was sent. */
export async function sendHostileText(service: Uploads): Promise<string[]> {
  const { create, newCustomer, newOwner, submitted, judge } = service;
  const customer = await create('/customers', hostileCustomer());
  const controller = {
    ...ownerForm,
    title: text(100),
    firstName: text(50),
    lastName: text(50),
    address: { ...ownerForm.address, ...address, postalCode: text(100) },
  };
  const company = { ...hostileCustomer(), businessType: 'llc', ein: '12-3456789', controller, externalId: 'a"><script>' };
  const second = await service.call('POST', '/customers', { body: company });
  const owner = {
    ...ownerForm,
    firstName: text(50),
    lastName: text(50),
    address: { ...ownerForm.address, ...address, postalCode: text(100) },
  };
  const sent: Record<string, unknown> = { createCustomer: [hostileCustomer(), company], createBeneficialOwner: owner };
  const post = (operation: string, path: string, body: unknown) => {
    sent[operation] = body;
    return create(path, body);
  };
  const deposit = await post('createDeposit', `${customer}/deposits`, { amount: usd('500.00'), ...about('d') });
  const label = { amount: usd('50.00'), name: text(100), correlationId: text(255), externalId: '"><img/src=x>', metadata };
  const [from, to] = [
    await post('createLabel', `${customer}/labels`, label),
    await create(`${customer}/labels`, { ...label, externalId: 'x' }),
  ];
  await post('createLedgerEntry', `${from}/ledger-entries`, { amount: usd('2.00'), reference: text(255) });
  const link = (href: string) => ({ href, type: text(255) });
  const withdrawal = { _links: { from: link(from) }, amount: usd('1.00'), ...about('w') };
  const paid = await post('createWithdrawal', `${customer}/withdrawals`, withdrawal);
  const reason = text(255);
  await post('returnDeposit', `${deposit}/returns`, { amount: usd('1.00'), reason, ...about('x') });
  await post('returnWithdrawal', `${paid}/returns`, { reason, ...about('y') });
  const hold = { _links: { from: link(from) }, amount: usd('2.00'), ...about('h') };
  const held = await post('createHold', `${customer}/holds`, hold);
  const capture = { _links: { to: link(to) }, amount: usd('1.00'), ...about('c') };
  await post('captureHold', `${held}/captures`, capture);
  const between = { _links: { from: link(from), to: link(to) }, amount: usd('3.00') };
  await post('createSchedule', `${customer}/schedules`, {
    ...between,
    rule: 'FREQ=DAILY',
    timeZone: 'UTC',
    start: START,
    ...about('s'),
  });
  const moved = await post('createLabelReallocation', '/label-reallocations', { ...between, ...about('r') });
  await post('createReversal', `${moved}/reversals`, { amount: usd('1.00'), reference: text(255) });
  const steps = [{ label: link(from), percent: '10' }];
  await post('createAllocationRule', `${customer}/allocation-rules`, { name: text(100), steps });
  const items = [{ ...between, ...about('b') }];
  await post('createLabelReallocationBatch', '/label-reallocation-batches', { mode: 'atomic', items });
  const business = await newCustomer({ form: { businessName: text(100) } });
  await create(`${business}/beneficial-owners`, owner);
  const document = await submitted(await newOwner({ lastName: text(50) }, { customer: business }));
  const waiting = await submitted(await newOwner({ lastName: text(50) }, { customer: business }));
  const note = text(1000);
  sent.reviewDocument = { note };
  const judged = await judge(document, 'rejected', ['ScanFailedOther'], { note });
  assert.deepEqual([second.status, judged.status], [201, 201], `${second.text} ${judged.text}`);
  assertComplete(sent);
  return [
    ...[customer, second.headers.location!, business].map((href) => `/console/customers/${idOf(href)}`),
    ...[
      `/console/money/transfers/${idOf(moved)}`,
      `/console/money/transfers/${idOf(deposit)}`,
      `/console/customers/${idOf(customer)}/ledger`,
      '/console/money',
      '/console/webhooks',
      '/console/review',
    ],
    ...[document, waiting].map((href) => `/console/review/${idOf(href)}`),
  ];
}

/** Every free-text field of the OpenAPI document is among those that were sent. */
function assertComplete(sent: Record<string, unknown>): void {
  const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
  const find = (schema: Schema): Schema =>
    schema.$ref
      ? find(
          schema.$ref
            .slice(2)
            .split('/')
            .reduce((part, name) => part[name], document),
        )
      : schema;
  const fieldsOf = (given: Schema, name: string): string[] => {
    const schema = find(given);
    const { anyOf = [], oneOf = [], allOf = [], properties = {}, items, additionalProperties: rest } = schema;
    const isFree = schema.type === 'string' && !schema.enum && !schema.format && !HARMLESS.test(schema.pattern ?? '');
    return [
      ...(isFree ? [name] : []),
      ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => fieldsOf(part, name)),
      ...Object.entries(properties).flatMap(([key, part]) => fieldsOf(part, key)),
      ...(items ? fieldsOf(items, name) : []),
      ...(typeof rest === 'object' ? fieldsOf(rest, name) : []),
    ];
  };
  type Operation = { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path as Record<string, Operation>));
  const missing = operations.flatMap(({ operationId, requestBody }) => {
    if (NOT_SENT.includes(operationId)) return [];
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
    const names = new Set(schemas.flatMap((schema) => fieldsOf(schema, '')));
    const body = JSON.stringify(sent[operationId] ?? {});
    return [...names]
      .filter((name) => !READ.includes(name))
      .filter((name) => !body.includes(`"${name}":`))
      .map((name) => `${operationId}.${name}`);
  });
  assert.deepEqual(missing, []);
}
