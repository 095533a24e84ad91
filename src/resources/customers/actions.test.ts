// Tests that a link of a customer is present exactly while its action succeeds, for every action and state.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { customerForm } from '../../../test/support/data.ts';
import type { Answer, Body } from '../../../test/support/http.ts';
import { contentType, filePart, multipart, typePart } from '../../../test/support/multipart.ts';
import { picture } from '../../../test/support/pictures.ts';
import { openUploads } from '../../../test/support/uploads.ts';

type Fields = Record<string, unknown>;
/** An action: its path when there is no link, its body, and what it changes where the status alone does not show success. */
type Action = { path: string; send(customer: Body): Promise<object> | object; effect?(url: string): Promise<unknown> };
type State = { name: string; form: Fields; changes: string[]; certified?: boolean };

const service = await openUploads({ after });
const { call, get } = service;

const { businessName, businessType, businessClassification, ...person } = customerForm();
const personal: Fields = { ...person, type: 'personal' };
const soleProprietor: Fields = { ...person, type: 'business', businessName, businessType, businessClassification };
const llc: Fields = {
  ...soleProprietor,
  ...{ businessType: 'llc', ein: '12-3456789' },
  controller: {
    ...{ firstName: 'Con', lastName: 'Troller', title: 'CEO', dateOfBirth: '1970-03-04', ssn: '876-54-3210' },
    address: { address1: '2 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US' },
  },
};
const unverified: Fields = { type: 'unverified', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' };

/** By customer type, a form for each first status. */
const types: Record<string, (status: string) => Fields> = {
  personal: (status) => ({ ...personal, firstName: status }),
  'sole proprietor': (status) => ({ ...soleProprietor, businessName: status }),
  llc: (status) => ({ ...llc, businessName: status }),
};

const CHANGES = [[], ['suspended'], ['deactivated']];
/** Sequences of two status changes. */
const FURTHER = [
  ['suspended', 'deactivated'],
  ['deactivated', 'reactivated'],
];

const statesOf = (type: string, status: string, ways: string[][]): State[] =>
  ways.map((changes) => ({ name: `${type} ${status}`, form: types[type]!(status), changes }));

const states: State[] = [
  ...['personal', 'llc'].flatMap((type) => [
    ...['verified', 'retry', 'document'].flatMap((status) => statesOf(type, status, CHANGES)),
    // A customer that is suspended from the start cannot be suspended.
    ...statesOf(type, 'suspended', [[], ['deactivated']]),
  ]),
  // The remaining status changes do not depend on the customer type.
  ...['verified', 'retry', 'document', 'suspended'].flatMap((status) => statesOf('sole proprietor', status, [[]])),
  ...statesOf('personal', 'verified', FURTHER),
  ...CHANGES.map((changes) => ({ name: 'unverified', form: unverified, changes })),
  ...CHANGES.map((changes) => ({ name: 'llc certified', form: llc, changes, certified: true })),
];

const seen = { types: new Set<string>(), statuses: new Set<string>() };
const amount = (value: string) => ({ body: { amount: { value, currency: 'USD' } } });
const change = (status: string): Action => ({ path: '', send: () => ({ body: { status } }) });

const actions: Record<string, Action> = {
  edit: { path: '', send: () => ({ body: { city: 'Salem' } }) },
  suspend: change('suspended'),
  deactivate: change('deactivated'),
  reactivate: change('reactivated'),
  'retry-verification': {
    path: '',
    send: ({ type, businessType: kind }) => {
      const form = kind === 'llc' ? llc : type === 'business' ? soleProprietor : personal;
      return { body: { ...form, type } };
    },
  },
  'verify-with-document': {
    path: '/documents',
    send: async () => ({
      raw: multipart([typePart(), filePart(await picture())]),
      headers: { 'content-type': contentType() },
    }),
  },
  'certify-beneficial-ownership': {
    path: '/beneficial-ownership',
    send: () => ({ body: { status: 'certified' } }),
    // Certifying again succeeds and changes nothing.
    effect: async (url) => (await call('GET', `${url}/beneficial-ownership`)).body.status,
  },
  'create-label': { path: '/labels', send: () => amount('0') },
  deposit: { path: '/deposits', send: () => amount('1.00') },
  withdraw: {
    path: '/withdrawals',
    send: async ({ _links }) => {
      // Gives the withdrawal money to take, in states that accept deposits.
      await call('POST', `${_links.self.href}/deposits`, amount('1.00'));
      return amount('1.00');
    },
  },
};

async function enter({ form, changes, certified }: State): Promise<string> {
  const made = await call('POST', '/customers', { body: form });
  assert.equal(made.status, 201, made.text);
  const url = made.headers.location!;
  if (certified) await perform(url, '/beneficial-ownership', { body: { status: 'certified' } });
  for (const status of changes) await perform(url, '', { body: { status } });
  return url;
}

async function perform(url: string, path: string, options: object): Promise<Answer> {
  const answer = await call('POST', `${url}${path}`, options);
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

for (const state of states) {
  test(`${[state.name, ...state.changes].join(', ')}: links are present exactly while their actions succeed`, async () => {
    const shared = await enter(state);
    const legal: string[] = [];
    const customer = await get(shared);
    seen.types.add(customer.type);
    seen.statuses.add(customer.status);
    const linked = Object.keys(actions).filter((rel) => rel in customer._links);
    for (const [rel, { path, send, effect }] of Object.entries(actions)) {
      // A refused action leaves the customer unchanged.
      const url = linked.includes(rel) ? await enter(state) : shared;
      const { _links, ...rest } = await get(url);
      if (linked.includes(rel)) assert.equal(_links[rel].href, `${url}${path}`, rel);
      const before = await effect?.(url);
      const answer = await call('POST', `${url}${path}`, await send({ _links, ...rest }));
      const changed = effect === undefined || before !== (await effect(url));
      if (answer.status < 300 && changed) legal.push(rel);
      else if (answer.status >= 300) assert.equal(answer.body.code, expectedCode(rel, rest), `${rel}: ${answer.text}`);
    }
    assert.deepEqual(linked, legal);
  });
}

/** No form for an unverified customer is complete: each member is refused. */
function expectedCode(rel: string, { type }: Fields): string {
  return rel === 'retry-verification' && type === 'unverified' ? 'ValidationError' : 'InvalidResourceState';
}

test('the tests cover every customer type and status', async () => {
  const { components } = (await call('GET', '/openapi.json')).body;
  assert.deepEqual([...seen.types].sort(), [...components.schemas.CustomerType.enum].sort());
  assert.deepEqual([...seen.statuses].sort(), [...components.schemas.CustomerStatus.enum].sort());
  const rels = Object.keys(components.schemas.Customer.properties._links.properties);
  const read = ['self', 'balance', 'labels', 'beneficial-owners', 'beneficial-ownership', 'documents'];
  assert.deepEqual(rels.sort(), [...read, ...Object.keys(actions)].sort());
});
