// Tests of the creation form of customers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCustomers } from '../../../test/support/customers.ts';
import {
  ANCIENT,
  CHILD,
  controller,
  corporation,
  type Fields,
  home,
  person,
  personal,
  soleProprietor,
  unverified,
} from '../../../test/support/data.ts';
import { assertRefused, faultsOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { isOfAge } from '../../platform/forms/check.ts';

type Fault = [what: string, change: Fields, path: string, code: string, message: string];
// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

const violations: [form: Fields, faults: Fault[]][] = [
  [
    personal,
    [
      ['null type', { type: null }, '/type', 'Required', 'Type is required.'],
      ['another type', { type: 'robot' }, '/type', 'Invalid', 'Type is not one of the allowed values.'],
      ['blank', { firstName: '  ' }, '/firstName', 'Required', 'First name is required.'],
      ['null', { lastName: null }, '/lastName', 'Invalid', 'Last name must be a string.'],
      ['long', { firstName: 'a'.repeat(51) }, '/firstName', 'Invalid', 'First name must have at most 50 characters.'],
      ['control', { lastName: 'a\tb' }, '/lastName', 'InvalidFormat', 'Last name has an invalid format.'],
      ['email', { email: 'ada' }, '/email', 'InvalidFormat', 'Email has an invalid format.'],
      ['email', { email: `${'a'.repeat(243)}@example.com` }, '/email', 'Invalid', 'Email must have at most 254 characters.'],
      ['no address', { address1: undefined }, '/address1', 'Required', 'Address1 is required.'],
      ['no city', { city: '' }, '/city', 'Required', 'City is required.'],
      ['state', { state: 'Illinois' }, '/state', 'InvalidFormat', 'State has an invalid format.'],
      ['postal code', { postalCode: '627' }, '/postalCode', 'InvalidFormat', 'Postal code has an invalid format.'],
      ['date', { dateOfBirth: '1980-02-30' }, '/dateOfBirth', 'InvalidFormat', 'Date of birth has an invalid format.'],
      ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
      ['old', { dateOfBirth: ANCIENT }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
      ['ssn', { ssn: '98-765-4321' }, '/ssn', 'InvalidFormat', 'SSN has an invalid format.'],
      ['number', { ssn: 1234 }, '/ssn', 'Invalid', 'SSN must be a string.'],
      ['phone', { phone: 'call me' }, '/phone', 'InvalidFormat', 'Phone has an invalid format.'],
      ['website', { website: 'javascript:alert(1)' }, '/website', 'InvalidFormat', 'Website has an invalid format.'],
      ['ip', { ipAddress: 'home' }, '/ipAddress', 'InvalidFormat', 'IP address has an invalid format.'],
    ],
  ],
  [
    soleProprietor,
    [
      ['no birth', { dateOfBirth: undefined }, '/dateOfBirth', 'Required', 'Date of birth is required.'],
      ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
      ['no ssn', { ssn: '' }, '/ssn', 'Required', 'SSN is required.'],
      ['no type', { businessType: undefined }, '/businessType', 'Required', 'Business type is required.'],
      [
        'type',
        { businessType: 'club' },
        '/businessType',
        'Invalid',
        'Business type must be one of soleProprietorship, corporation, llc, partnership.',
      ],
      ['name', { businessName: 'a'.repeat(101) }, '/businessName', 'Invalid', 'Business name must have at most 100 characters.'],
      ['class', { businessClassification: ' ' }, '/businessClassification', 'Required', 'Business classification is required.'],
    ],
  ],
  [
    corporation,
    [
      ['no ein', { ein: undefined }, '/ein', 'Required', 'EIN is required.'],
      ['ein', { ein: '123-456789' }, '/ein', 'InvalidFormat', 'EIN has an invalid format.'],
      ['no controller', { controller: undefined }, '/controller', 'Required', 'Controller is required.'],
      ['holder young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
      ...controllerFaults(),
    ],
  ],
  [
    unverified,
    [
      ['no email', { email: undefined }, '/email', 'Required', 'Email is required.'],
      ['state', { state: 'il' }, '/state', 'InvalidFormat', 'State has an invalid format.'],
    ],
  ],
];

test('refuses each violation of the creation form', async (t) => {
  const { call, snapshot } = await openCustomers(shared);
  const before = await snapshot();
  for (const [form, faults] of violations) {
    for (const [what, change, path, code, message] of faults) {
      await t.test(`${form.type}: ${what} ${path}`, async () => {
        const answer = await call('POST', '/customers', { body: { ...form, ...change } });
        assertRefused(answer, { status: 400, code: 'ValidationError', message, fault: code, path });
        assert.equal(answer.body._embedded.errors.length, 1, answer.text);
      });
    }
  }
  assert.deepEqual(await snapshot(), before);
});

function controllerFaults(): Fault[] {
  const home = controller.address as Fields;
  const faults: Fault[] = [
    ['no ssn', { ssn: undefined }, '/ssn', 'Required', 'Controller SSN is required.'],
    ['no title', { title: ' ' }, '/title', 'Required', 'Controller title is required.'],
    ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Controller date of birth must be 18 to 125 years ago.'],
    [
      'passport',
      { ssn: '', passport: { country: 'CA' } },
      '/passport/number',
      'Required',
      'Controller passport number is required.',
    ],
    [
      'country',
      { address: { ...home, country: 'Canada' } },
      '/address/country',
      'InvalidFormat',
      'Controller address country has an invalid format.',
    ],
    [
      'region',
      { address: { ...home, stateProvinceRegion: undefined } },
      '/address/stateProvinceRegion',
      'Required',
      'Controller address state province region is required.',
    ],
  ];
  return faults.map(([what, change, path, ...rest]) => [
    what,
    { controller: { ...controller, ...change } },
    `/controller${path}`,
    ...rest,
  ]);
}

test('accepts every valid form', async () => {
  const { create } = await openCustomers(shared);
  const accepted: Fields[] = [
    ...['987654321', '987-65-4321', '4321'].map((ssn) => ({ ...personal, ssn })),
    ...['62701', '62701-1234'].map((postalCode) => ({ ...personal, postalCode })),
    ...['123456789', '12-3456789'].map((ein) => ({ ...corporation, ein })),
    ...['llc', 'partnership'].map((businessType) => ({ ...corporation, businessType })),
    { ...corporation, dateOfBirth: '1980-01-02', ssn: '4321' },
    { ...personal, firstName: 'é'.repeat(50), lastName: '𝒳'.repeat(50) },
    { ...unverified, ...home, businessName: 'Works', dateOfBirth: CHILD },
  ];
  for (const form of accepted) await create(form);
});

test('reports all faults together, and only those of the form of the type', async () => {
  const { call } = await openCustomers(shared);
  const faultsFor = async (body: Fields) => faultsOf(await call('POST', '/customers', { body }));
  const young = { ...controller, dateOfBirth: CHILD, firstName: '' };
  assert.deepEqual(
    await faultsFor({ ...corporation, email: 'x', ein: '', postalCode: '1', controller: young, dateOfBirth: CHILD }),
    [
      'Invalid /controller/dateOfBirth',
      'Invalid /dateOfBirth',
      'InvalidFormat /email',
      'InvalidFormat /postalCode',
      'Required /controller/firstName',
      'Required /ein',
    ],
  );
  assert.deepEqual(await faultsFor({ type: 'unverified' }), ['Required /email', 'Required /firstName', 'Required /lastName']);
  assert.deepEqual(await faultsFor({ ...person, ...home, type: 'business' }), [
    'Required /businessClassification',
    'Required /businessName',
    'Required /businessType',
  ]);
});

test('refuses a body that is not a form as a syntax error', async () => {
  const { call } = await openCustomers(shared);
  for (const raw of ['', '[]', '7', '{"type":', '{"type":"personal","type":"personal"}', '{"firstName":"\\ud800"}']) {
    assertRefused(await call('POST', '/customers', { raw }), {
      status: 400,
      code: 'BadRequest',
      message: 'The request body contains bad syntax or is incomplete.',
    });
  }
});

test('counts an age in whole years', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  const born: [date: string, ofAge: boolean][] = [
    ['2008-03-01', true],
    ['2008-03-02', false],
    ['2008-02-29', true],
    ['1900-03-02', true],
    ['1900-03-01', false],
    ['2030-01-01', false],
    ['0000-01-01', false],
  ];
  for (const [date, ofAge] of born) assert.equal(isOfAge(date, at), ofAge, date);
  assert.equal(isOfAge('2008-02-29', new Date('2026-02-28T23:59:59Z')), false);
});
