// The matrix of changes by hand: for each column and kind of row, the value that somebody writes, and who notices it.

/** `neither` comes with its reason. */
type By = 'audit' | 'verify' | 'both' | `neither: ${string}`;
export type Edit = { set: string; by: By };
type Edits = Record<string, Edit>;

/** By table: a condition on the rows of each kind. */
export const ROWS = {
  transfer: {
    deposit: `kind = 'deposit' and external_id is not null`,
    'divided deposit': `kind = 'deposit' and rule_id is not null`,
    withdrawal: `kind = 'withdrawal'`,
    reallocation: `kind = 'reallocation' and external_id is not null`,
    reversal: `kind = 'reallocation' and reverses is not null`,
    label: `kind = 'label' and reference is not null`,
    allocation: `kind = 'allocation'`,
    'deposit return': `kind = 'deposit-return' and external_id is not null`,
    'withdrawal return': `kind = 'withdrawal-return' and external_id is not null`,
    recovery: `kind = 'recovery'`,
    debt: `kind = 'debt'`,
    repayment: `kind = 'repayment'`,
  },
  ledger_account: {
    label: `kind = 'label' and name = 'Rent'`,
    'empty label': `kind = 'label' and currency = 'EUR'`,
    'removed label': `removed is not null`,
    available: `kind = 'available' and balance <> 0`,
    external: `kind = 'external' and balance <> 0`,
    owed: `kind = 'owed' and balance <> 0`,
  },
  customer: { verified: `status = 'verified'`, suspended: `status = 'suspended'`, unverified: `status = 'unverified'` },
  event: {
    transfer: `resource_id in (select id from transfer)`,
    label: `resource_id in (select id from ledger_account)`,
    customer: `resource_id = customer_id`,
  },
  log_key: { key: 'true' },
  transparency_log: { log: 'true' },
  log_tile: { tile: 'true' },
  log_entries: { entries: 'true' },
  log_announcement: { announcement: 'true' },
} satisfies Record<string, Record<string, string>>;
type Table = keyof typeof ROWS;
type Row<T extends Table> = keyof (typeof ROWS)[T] & string;

/** An edit of each kind of row of a table. `except`: who notices it in other rows. */
function edits<T extends Table>(table: T) {
  return (set: string, by: By, except: Partial<Record<Row<T>, By>> = {}): Edits =>
    Object.fromEntries((Object.keys(ROWS[table]) as Row<T>[]).map((row) => [row, { set, by: except[row] ?? by }]));
}

const transfer = edits('transfer');
const account = edits('ledger_account');
const customer = edits('customer');
const event = edits('event');
const key = edits('log_key');
const log = edits('transparency_log');
const tile = edits('log_tile');
const entries = edits('log_entries');
const announcement = edits('log_announcement');

const OTHER_ID = 'gen_random_uuid()';
const OTHER_CUSTOMER = '(select id from customer where id <> x.customer_id limit 1)';
const OTHER_BUCKET = '(bucket + 1) % 4096';
const FORGED = `'forged'`;
const DATA = `'{"forged": "yes"}'::jsonb`;
const later = (column: string) => `${column} + interval '1 ms'`;

/** The API shows nothing of the external account, and only the balance and the entries of those of available money and debts. */
const HIDDEN = { available: 'verify', external: 'verify', owed: 'verify' } as const;
const EXTERNAL = { external: 'verify' } as const;
/** The side of deposits, withdrawals and returns that is the external account. */
const FROM_OUTSIDE = { deposit: 'verify', 'divided deposit': 'verify', 'withdrawal return': 'verify' } as const;
const TO_OUTSIDE = { withdrawal: 'verify', 'deposit return': 'verify' } as const;
/** What a return took. */
const TAKEN = { recovery: 'verify', debt: 'verify' } as const;
const NOT_ALLOCATED = { withdrawal: 'verify', label: 'verify', ...TAKEN } as const;
const ONLY_ALLOCATED = {
  ...NOT_ALLOCATED,
  reallocation: 'verify',
  reversal: 'verify',
  'deposit return': 'verify',
  'withdrawal return': 'verify',
} as const;
/** The API shows originals of reversals and returns only. */
const WITHOUT_ORIGINAL = {
  ...NOT_ALLOCATED,
  deposit: 'verify',
  'divided deposit': 'verify',
  allocation: 'verify',
  repayment: 'verify',
} as const;

/** An audit cannot distinguish the oldest event from one that retention has deleted. */
const OLDEST = { customer: 'verify' } as const;

const REPETITION: By = 'neither: it only decides whether a repeated request gets the first answer, and expires';
const SEARCH: By = 'neither: it only decides which searches find the customer, and follows from name and e-mail';
const PACE: By = 'neither: it only decides when the next checkpoint is announced';

export const MATRIX: Record<Table, Record<string, Edits>> = {
  transfer: {
    id: transfer(`overlay(id::text placing 'f' from 1)::uuid`, 'both'),
    customer_id: transfer(OTHER_CUSTOMER, 'both'),
    from_id: transfer(OTHER_ID, 'both'),
    to_id: transfer(OTHER_ID, 'both'),
    from_sequence: transfer('from_sequence + 1000', 'both', FROM_OUTSIDE),
    to_sequence: transfer('to_sequence + 1000', 'both', TO_OUTSIDE),
    from_balance: transfer('from_balance + 1', 'both', FROM_OUTSIDE),
    to_balance: transfer('to_balance + 1', 'both', TO_OUTSIDE),
    amount: transfer('amount + 1', 'both'),
    created: transfer(later('created'), 'both'),
    bucket: transfer(OTHER_BUCKET, 'both'),
    currency: transfer(`'EUR'`, 'both'),
    kind: transfer(`case kind when 'deposit' then 'withdrawal' else 'deposit' end`, 'both'),
    key: transfer(OTHER_ID, REPETITION),
    fingerprint: transfer(OTHER_ID, REPETITION),
    request_id: transfer(OTHER_ID, 'neither: it only leads people of the console to a line of the log of the service'),
    reference: transfer(FORGED, 'both'),
    correlation_id: transfer(FORGED, 'both'),
    external_id: transfer(FORGED, 'both'),
    metadata: transfer(DATA, 'both'),
    reverses: transfer(OTHER_ID, 'both', WITHOUT_ORIGINAL),
    deposit_id: transfer(OTHER_ID, 'both'),
    rule_id: transfer(OTHER_ID, 'both', ONLY_ALLOCATED),
    hold_id: transfer(OTHER_ID, 'verify'),
    return_id: transfer(OTHER_ID, 'both'),
    reason: transfer(FORGED, 'both'),
  },
  ledger_account: {
    bucket: account(OTHER_BUCKET, 'both'),
    id: account(OTHER_ID, 'both'),
    account_id: account(OTHER_ID, 'both', HIDDEN),
    customer_id: account(OTHER_CUSTOMER, 'both', EXTERNAL),
    kind: account(`case kind when 'label' then 'available' else 'label' end`, 'both'),
    currency: account(`'GBP'`, 'both', EXTERNAL),
    balance: account('balance + 1', 'both', EXTERNAL),
    version: account('version - 1', 'both', EXTERNAL),
    reallocations_out: account('reallocations_out + 1', 'verify'),
    latest: account(`case when version = 0 then created else ${later('latest')} end`, 'verify'),
    frozen: account('not frozen', 'verify'),
    erased: account('not erased', 'neither: it only decides the entity tag of entries'),
    held: account('held + 1', 'verify'),
    held_until: account(`now() + interval '1 hour'`, 'verify'),
    name: account(FORGED, 'both', EXTERNAL),
    former_names: account(`'[{"name": "forged", "until": "2999-01-01T00:00:00Z"}]'`, 'both', EXTERNAL),
    correlation_id: account(FORGED, 'both', HIDDEN),
    external_id: account(FORGED, 'both', HIDDEN),
    metadata: account(DATA, 'both', HIDDEN),
    created: {
      ...account(`created + interval '1 day'`, 'both', HIDDEN),
      'available earlier': {
        set: `created - interval '1 day'`,
        by: 'neither: nobody sees when the accounts of a currency were opened; a time after the first entry is noticed',
      },
    },
    removed: account('case when removed is null then greatest(latest, created) end', 'both', HIDDEN),
  },
  customer: {
    bucket: customer(OTHER_BUCKET, 'both'),
    id: customer(OTHER_ID, 'both'),
    account_id: customer(OTHER_ID, 'both'),
    type: customer(`case type when 'unverified' then 'personal' else 'unverified' end`, 'both'),
    status: customer(`case status when 'retry' then 'verified' else 'retry' end`, 'both'),
    status_before: customer(`case when status_before is null then 'verified' end`, 'both'),
    first_name: customer(FORGED, 'both'),
    last_name: customer(FORGED, 'both'),
    email: customer(FORGED, 'both'),
    profile: customer(`profile || '{"city": "Forged"}'`, 'both'),
    sealed: customer(`'\\x00'`, 'neither: only the service reads it, and refuses what it did not seal for this customer'),
    correlation_id: customer(FORGED, 'both'),
    external_id: customer(FORGED, 'both'),
    metadata: customer(DATA, 'both'),
    created: customer(later('created'), 'both'),
    search_text: customer(FORGED, SEARCH),
    search_grams: customer(`'{1}'`, SEARCH),
    log_salt: customer('uuid_send(gen_random_uuid())', 'both'),
  },
  event: {
    account_id: event(OTHER_ID, 'both', OLDEST),
    position: event('position + 1000', 'both', OLDEST),
    id: event(OTHER_ID, 'both'),
    customer_id: event(OTHER_ID, 'both'),
    resource_id: event(OTHER_ID, 'both'),
    created: event(later('created'), 'both'),
    topic_position: event(
      'topic_position + 1000',
      'neither: it only counts a list of one topic; the feed of all events is compared',
    ),
    topic: event('case topic when 1 then 2 else 1 end', 'both'),
    bucket: event(OTHER_BUCKET, 'verify'),
  },
  log_key: {
    id: key(FORGED, 'neither: it only names the key for people'),
    public_key: key(`(select encode(sha256(id::bytea), 'base64') from log_key limit 1)`, 'audit'),
    private_key: key(`'\\x00'`, 'neither: it is sealed; the service reports that it cannot sign'),
    created: key(later('created'), 'neither: it only decides how long a replaced key signs'),
  },
  transparency_log: {
    account_id: log(OTHER_ID, 'both'),
    origin: log(FORGED, 'audit'),
    number: log('number + 1', 'audit'),
    start: log('start + 1', 'verify'),
    size: log('size - 1', 'neither: the checkpoint has the size; the next extension contradicts it'),
    checkpoint: log(FORGED, 'audit'),
    witnessed: log(FORGED, 'neither: an audit with witnesses reads it, and wants their cosignatures'),
    signers: log(FORGED, 'neither: the builder signs again'),
    server: log(FORGED, 'neither: the builder holds the log until an operator continues it'),
    held: log(`held + interval '1 day'`, 'neither: while it is set, nothing is signed, and no checkpoint is announced'),
    announced: log(later('announced'), PACE),
    announced_size: log('announced_size + 1', PACE),
    audited: log(later('audited'), PACE),
    audit_entries: log('audit_entries + 1', PACE),
  },
  log_tile: {
    account_id: tile(OTHER_ID, 'audit'),
    level: tile('level + 1', 'audit'),
    index: tile('index + 1', 'audit'),
    hashes: tile(`overlay(hashes placing '\\x00' from 1)`, 'audit'),
    widths: tile(`'{}'`, 'audit'),
  },
  log_entries: {
    account_id: entries(OTHER_ID, 'both'),
    first: entries('first + 1', 'verify'),
    entries: entries(`overlay(entries placing '\\x00' from 20)`, 'both'),
  },
  log_announcement: {
    account_id: announcement(OTHER_ID, 'neither: the event finds its checkpoint without it'),
    event_id: announcement(OTHER_ID, 'audit'),
    checkpoint: announcement(FORGED, 'audit'),
  },
};
