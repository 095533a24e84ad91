// The data of the console's benchmark, written with SQL: customers with labels, transfers with their events, webhooks, documents and an
// audit log.
import type pg from 'pg';
import type { Customer } from '../src/resources/customers/customer.ts';
import { searchColumnsOf } from '../src/resources/customers/folding.ts';

export type Sizes = { customers: number; webhooks: number; documents: number; audited: number };

/** Transfers of each customer: a deposit, two labels that are filled, and reallocations between them. */
export const TRANSFERS_EACH = 10;

const FOLDED_AT_ONCE = 5_000;

/** An id of a time in a bucket, as src/core/ids.ts makes it. `n` makes it unique. */
const MAKE_ID = `
  create function pg_temp.made_id(at timestamptz, bucket int, n bigint) returns uuid language sql immutable as $$
    select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || lpad(to_hex(bucket), 3, '0') || '-8000-' || lpad(to_hex(n), 11, '0') || '0')::uuid
    from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as h) t
  $$`;

/** Customers of a new account, created over 400 days, and their ledger accounts; the latest balances are those of `TRANSFERS`. */
const CUSTOMERS = `
  create temp table made as
    select n, (n % 4096)::int as bucket, t as created, pg_temp.made_id(t, (n % 4096)::int, n * 16) as id,
      pg_temp.made_id(t, (n % 4096)::int, n * 16 + 1) as external, pg_temp.made_id(t, (n % 4096)::int, n * 16 + 2) as available,
      pg_temp.made_id(t, (n % 4096)::int, n * 16 + 3) as one, pg_temp.made_id(t, (n % 4096)::int, n * 16 + 4) as two,
      (100000 + n % 977)::bigint as deposited, (100 + n % 400)::bigint as step
    from (select n, date_trunc('milliseconds', now() - interval '400 days' + n * (interval '300 days' / $customers)) as t
      from generate_series(0, $customers - 1) n) g;
  insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, created)
    select bucket, id, '$account', 'business', case when n % 50 = 0 then 'suspended' when n % 50 = 1 then 'document' else 'verified' end,
      (array['Ada','Grace','Emmy','Sofia','Mary','Rosa'])[1 + n % 6], 'Person ' || n, 'office' || n || '@example.com',
      jsonb_build_object('businessName', (array['Harbour','Northwind','Lindgren','Acacia','Summit'])[1 + n % 5] || ' Trading ' || n,
        'address1', n || ' Main Street', 'city', 'Springfield', 'state', 'IL', 'postalCode', '62701', 'businessClassification', 'retail'),
      created
    from made;
  insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, balance, version, reallocations_out, latest, name, created)
    select bucket, a.id, '$account', made.id, a.kind, 'USD', a.balance, a.version, a.out, now(), a.name, made.created
    from made, lateral (values
      (external, 'external', -deposited, 1, 0, null), (available, 'available', deposited - 60000, 3, 0, null),
      (one, 'label', 50000 - 7 * step, 8, 7, 'Payroll'), (two, 'label', 10000 + 7 * step, 8, 0, 'Sales tax')
    ) as a (id, kind, balance, version, out, name)`;

/** The transfers of each customer are spread over ninety days. */
const TRANSFERS = `
  create temp table moved as
    select n, k, bucket, made.id as customer_id, t as created, pg_temp.made_id(t, bucket, (n * 16 + k) * 2 + 1048576) as id, kind, from_id, to_id,
      from_sequence, to_sequence, from_balance, to_balance, amount
    from made, generate_series(0, ${TRANSFERS_EACH - 1}) k,
      lateral (select date_trunc('milliseconds', now() - interval '90 days' + k * interval '9 days' + n * (interval '9 days' / $customers)) as t) at,
      lateral (select 'deposit', external, available, 1, 1, -deposited, deposited, deposited where k = 0
        union all select 'label', available, one, 2, 1, deposited - 50000, 50000, 50000 where k = 1
        union all select 'label', available, two, 3, 1, deposited - 60000, 10000, 10000 where k = 2
        union all select 'reallocation', one, two, k - 1, k - 1, 50000 - (k - 2) * step, 10000 + (k - 2) * step, step where k > 2
      ) as m (kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount);
  insert into transfer (id, customer_id, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount, created, bucket, currency,
      kind, key, reference, correlation_id)
    select id, customer_id, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount, created, bucket, 'USD', kind,
      md5(id::text)::uuid, case when k = 9 then 'Payroll' else 'INV-' || n % 20000 || '-' || k end, case when k = 4 then 'order ' || n end
    from moved order by created;
  insert into event (account_id, position, id, customer_id, resource_id, created, topic_position, topic, bucket)
    select '$account', p, overlay(id::text placing '7' from 36)::uuid, customer_id, id, created, p, 1, bucket
    from (select *, row_number() over (order by created, id) as p from moved) m;
  insert into event_head (account_id, position) select '$account', count(*) from moved;
  insert into event_topic (account_id, topic, number, position)
    select '$account', 'customer_label_reallocation_created', 1, count(*) from moved`;

/** Webhooks of the newest events of one subscription, of which every fiftieth failed. */
const WEBHOOKS = `
  insert into webhook_subscription (bucket, id, account_id, url, secret, position, webhooks, healthy, created)
    select 7, pg_temp.made_id(now(), 7, 1), '$account', 'https://example.com/hook', '\\x00', count(*), $webhooks, now(), now() from moved;
  create temp table sent as
    select pg_temp.made_id(created, 7, position + 4194304) as id, id as event_id, resource_id, customer_id, created, position
    from event where account_id = '$account' order by position desc limit $webhooks;
  insert into webhook (id, subscription_id, account_id, customer_id, event_id, resource_id, created, bucket, topic)
    select id, (select id from webhook_subscription where account_id = '$account'), '$account', customer_id, event_id, resource_id, created, 7, 'customer_label_reallocation_created' from sent;
  insert into webhook_attempt (id, webhook_id, subscription_id, requested, responded, bucket, status, delivered, url, request_headers, request_body)
    select id, id, (select id from webhook_subscription where account_id = '$account'), created, created, 7, case when position % 50 = 0 then 500 else 200 end, position % 50 > 0,
      'https://example.com/hook', '[]', '{}'
    from sent`;

const REST = `
  insert into document (bucket, id, account_id, customer_id, type, status, media_type, store, original_key, copy_key, content_mac, created)
    select bucket, pg_temp.made_id(now(), bucket, n * 16 + 9), '$account', id, 'passport', 'pending', 'image/jpeg', 'postgresql', '\\x00', '\\x00', '\\x00', now()
    from made where n % 50 = 1 limit $documents;
  insert into audit_entry (id, actor, action, resource_type, resource_id, detail, place, created)
    select pg_temp.made_id(now() - n * interval '1 minute', 0, n), 'Ada', case when n % 1000 = 0 then 'run_job' else 'sign_in' end,
      null, null, '{}', '127.0.0.1', now() - n * interval '1 minute'
    from generate_series(1, $audited) n`;

/** The paths of what the pages are about: somebody in the middle, and the newest transfer. */
const SUBJECTS = `
  select (select id from made where n = $customers / 2) as customer, (select id from moved where n = $customers / 2 and k = 9) as transfer,
    (select one from made where n = $customers / 2) as label, (select id from moved where n = $customers / 2 and k = 0) as deposit,
    (select id from webhook_subscription where account_id = '$account') as subscription,
    (select id from webhook where account_id = '$account' order by id desc limit 1) as delivery,
    (select id from document where account_id = '$account' order by id limit 1) as document`;

export type Subjects = Record<'customer' | 'transfer' | 'label' | 'deposit' | 'subscription' | 'delivery' | 'document', string>;

/** Writes the data of an account on a separate connection, because the tables in between are temporary. */
export async function writeData(client: pg.Client, account: string, sizes: Sizes): Promise<Subjects> {
  const values: Record<string, unknown> = { ...sizes, account };
  // The dollar signs of `$$` are followed by no name of a value.
  const fill = (text: string) => text.replace(/\$(\w+)\b/g, (all, name: string) => (name in values ? String(values[name]) : all));
  for (const text of [MAKE_ID, CUSTOMERS, TRANSFERS, WEBHOOKS, REST]) await client.query(fill(text));
  await writeSearchColumns(client, account);
  const { rows } = await client.query<Subjects>(fill(SUBJECTS));
  return rows[0]!;
}

/** The service folds names in JavaScript, so SQL cannot write these columns. */
async function writeSearchColumns(client: pg.Client, account: string): Promise<void> {
  type Row = Pick<Customer, 'id' | 'email' | 'profile'> & { first: string; last: string };
  const { rows } = await client.query<Row>(
    'select id, first_name as first, last_name as last, email, profile from customer where account_id = $1',
    [account],
  );
  for (let start = 0; start < rows.length; start += FOLDED_AT_ONCE) {
    const folded = rows.slice(start, start + FOLDED_AT_ONCE).map(({ id, first, last, email, profile }) => {
      const { searchText, searchGrams } = searchColumnsOf({
        accountId: account,
        firstName: first,
        lastName: last,
        email,
        profile,
      });
      return { id, text: searchText, grams: searchGrams };
    });
    await client.query(
      `update customer c set search_text = f.text, search_grams = f.grams
       from json_to_recordset($1) as f (id uuid, text text, grams int[]) where c.id = f.id`,
      [JSON.stringify(folded)],
    );
  }
  await client.query('vacuum analyze customer');
}
