// `node bench/lean.ts`: the rival of reads, Fastify with a pool of `pg` and prepared statements, without tokens, checks of shape, log and
// metrics. Prints its port.
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { bucketOf } from '../src/core/ids.ts';

/** As large as a well-tuned pool. */
const CONNECTIONS = 8;
const PAGE = 25;
const HAL = 'application/vnd.earmark.v1.hal+json';

type Row = Record<string, unknown>;
/** `pg` prepares a statement with a name once for each connection. */
type Read = { name: string; text: string };

const label: Read = {
  name: 'label',
  text: `select id, account_id, customer_id, name, correlation_id, external_id, metadata, currency, balance, version, frozen, held, created, removed
    from ledger_account where bucket = $1 and id = $2 and kind = 'label'`,
};
const customer: Read = {
  name: 'customer',
  text: `select id, account_id, type, status, first_name, last_name, email, profile, correlation_id, external_id, metadata, created
    from customer where bucket = $1 and id = $2`,
};
const balance: Read = {
  name: 'balance',
  text: `select c.account_id, a.currency, sum(a.balance) filter (where a.kind = 'available') as available,
      sum(a.balance) filter (where a.kind = 'label') as labelled
    from customer c left join ledger_account a on a.bucket = c.bucket and a.customer_id = c.id and a.kind <> 'external'
    where c.bucket = $1 and c.id = $2 group by c.account_id, a.currency`,
};
const TRANSFER = `select t.id, t.customer_id, t.from_id, t.to_id, t.amount, t.currency, t.reference, t.correlation_id, t.external_id, t.created,
  (select sum(r.amount) from transfer r where r.bucket = $1 and r.reverses = t.id) as reversed
  from transfer t`;
const reallocation: Read = { name: 'reallocation', text: `${TRANSFER} where t.bucket = $1 and t.id = $2` };
const entries: Read = {
  name: 'entries',
  text: `select transfer_id, kind, ledger_account_id, amount, balance, sequence, currency, reference, correlation_id, external_id, created
    from ledger_entry where bucket = $1 and ledger_account_id = $2 and sequence > $3 and sequence <= $4 order by sequence desc`,
};
const reallocations: Read = {
  name: 'reallocations',
  text: `${TRANSFER} where t.bucket = $1 and t.customer_id = $2 and t.kind = 'reallocation' order by t.created desc, t.id desc limit ${PAGE + 1}`,
};
const count: Read = {
  name: 'count',
  text: `select sum(reallocations_out) as total from ledger_account where bucket = $1 and customer_id = $2 and kind = 'label'`,
};
const owner: Read = { name: 'owner', text: 'select id, account_id from beneficial_owner where bucket = $1 and id = $2' };
const documents: Read = {
  name: 'documents',
  text: 'select id, owner_id, type, status, reasons, created from document where bucket = $1 and owner_id = $2 order by id desc',
};
const head: Read = { name: 'head', text: 'select account_id, position from event_head limit 1' };
const events: Read = {
  name: 'events',
  text: `select e.id, e.account_id, e.customer_id, t.topic, e.resource_id, e.created
    from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
    where e.account_id = $1 and e.position > $2 and e.position <= $3 order by e.position desc`,
};

if (import.meta.main) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: CONNECTIONS });
  const app = open(pool);
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', async () => {
    await app.close();
    await pool.end();
  });
  process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`);
}

function open(pool: pg.Pool) {
  const app = Fastify();
  const read = async ({ name, text }: Read, values: unknown[]) => (await pool.query({ name, text, values })).rows as Row[];
  const get = (path: string, answer: (bucket: number, id: string) => Promise<object>) =>
    app.get(path, async (request, reply) => {
      const { id } = request.params as { id: string };
      reply.type(HAL);
      return JSON.stringify(await answer(id === undefined ? 0 : bucketOf(id), id));
    });
  const one = async (what: Read, bucket: number, id: string): Promise<Row> => (await read(what, [bucket, id]))[0]!;

  get('/constant', async () => ({}));
  get('/labels/:id', async (bucket, id) => showLabel(await one(label, bucket, id)));
  get('/customers/:id', async (bucket, id) => showCustomer(await one(customer, bucket, id)));
  get('/customers/:id/balance', async (bucket, id) => ({
    _links: { self: link(`/customers/${id}/balance`, 'balance'), customer: link(`/customers/${id}`, 'customer') },
    balances: (await read(balance, [bucket, id])).map(({ currency, available, labelled }) => {
      const total = BigInt(String(available ?? 0)) + BigInt(String(labelled ?? 0));
      return {
        currency,
        total: money(total, currency),
        available: money(available ?? 0, currency),
        labelled: money(labelled, currency),
      };
    }),
  }));
  get('/label-reallocations/:id', async (bucket, id) => showTransfer(await one(reallocation, bucket, id)));
  get('/labels/:id/ledger-entries', async (bucket, id) => {
    const version = Number((await one(label, bucket, id)).version);
    const rows = await read(entries, [bucket, id, version - PAGE - 1, version]);
    return page(`/labels/${id}/ledger-entries`, 'ledger-entry', { rows: rows.map(showEntry), total: version });
  });
  get('/customers/:id/label-reallocations', async (bucket, id) => {
    await one(customer, bucket, id);
    const [rows, [total]] = await Promise.all([read(reallocations, [bucket, id]), read(count, [bucket, id])]);
    return page(`/customers/${id}/label-reallocations`, 'label-reallocation', {
      rows: rows.map(showTransfer),
      total: Number(total!.total),
    });
  });
  get('/beneficial-owners/:id/documents', async (bucket, id) => {
    await one(owner, bucket, id);
    const rows = (await read(documents, [bucket, id])).map(showDocument);
    return {
      _links: { self: link(`/beneficial-owners/${id}/documents`, 'document') },
      _embedded: { documents: rows },
      total: rows.length,
    };
  });
  get('/events', async () => {
    const { account_id, position } = (await read(head, []))[0]!;
    const last = Number(position);
    const rows = await read(events, [account_id, last - PAGE - 1, last]);
    return page('/events', 'event', { rows: rows.map(showEvent), total: last });
  });
  return app;
}

function link(path: string, type: string) {
  return { href: `http://localhost:8080${path}`, type: HAL, 'resource-type': type };
}

function money(minor: unknown, currency: unknown) {
  const digits = String(minor).padStart(3, '0');
  return { value: `${digits.slice(0, -2)}.${digits.slice(-2)}`, currency };
}

function showLabel(row: Row) {
  const self = link(`/labels/${row.id}`, 'label');
  const entries = link(`/labels/${row.id}/ledger-entries`, 'ledger-entry');
  return {
    _links: { self, 'ledger-entries': entries, customer: link(`/customers/${row.customer_id}`, 'customer'), update: entries },
    id: row.id,
    created: row.created,
    amount: money(row.balance, row.currency),
  };
}

function showCustomer({ id, first_name, last_name, email, type, status, created }: Row) {
  const to = (path: string, type: string) => link(`/customers/${id}${path}`, type);
  const [self, labels, documents] = [to('', 'customer'), to('/labels', 'label'), to('/documents', 'document')];
  return {
    _links: {
      ...{ self, balance: to('/balance', 'balance'), 'beneficial-owners': to('/beneficial-owners', 'beneficial-owner') },
      ...{ 'beneficial-ownership': to('/beneficial-ownership', 'beneficial-ownership'), documents, edit: self, suspend: self },
      ...{ deactivate: self, 'certify-beneficial-ownership': to('/beneficial-ownership', 'beneficial-ownership'), labels },
      ...{ 'create-label': labels, withdraw: to('/withdrawals', 'withdrawal'), deposit: to('/deposits', 'deposit') },
    },
    ...{ id, firstName: first_name, lastName: last_name, email, type, status, created },
  };
}

function showTransfer({ id, from_id, to_id, customer_id, created, amount, currency, reversed }: Row) {
  const self = link(`/label-reallocations/${id}`, 'label-reallocation');
  const [from, to] = [link(`/labels/${from_id}`, 'label'), link(`/labels/${to_id}`, 'label')];
  const entry = (leg: string) => link(`/ledger-entries/${String(id).slice(0, -1)}${leg}`, 'ledger-entry');
  const reversals = link(`/label-reallocations/${id}/reversals`, 'label-reallocation');
  return {
    _links: {
      ...{ self, from, to, 'from-ledger-entry': entry('0'), 'to-ledger-entry': entry('1') },
      ...{ customer: link(`/customers/${customer_id}`, 'customer'), reversals, reverse: reversals },
    },
    ...{ id, created, amount: money(amount, currency), reversed: money(reversed ?? 0, currency) },
  };
}

function showEntry({ transfer_id, ledger_account_id, amount, balance, sequence, currency, created }: Row) {
  return {
    _links: {
      self: link(`/ledger-entries/${transfer_id}`, 'ledger-entry'),
      label: link(`/labels/${ledger_account_id}`, 'label'),
      'label-reallocation': link(`/label-reallocations/${transfer_id}`, 'label-reallocation'),
    },
    ...{
      id: transfer_id,
      amount: money(amount, currency),
      balance: money(balance, currency),
      sequence: Number(sequence),
      created,
    },
  };
}

function showDocument({ id, owner_id, type, status, created }: Row) {
  return {
    _links: {
      self: link(`/documents/${id}`, 'document'),
      owner: link(`/beneficial-owners/${owner_id}`, 'beneficial-owner'),
      reviews: link(`/documents/${id}/reviews`, 'review'),
    },
    ...{ id, status: status === 'pending' ? 'pending' : 'reviewed', type, created, documentVerificationStatus: status },
  };
}

function showEvent({ id, account_id, customer_id, topic, resource_id, created }: Row) {
  return {
    _links: {
      self: link(`/events/${id}`, 'event'),
      resource: link(`/label-reallocations/${resource_id}`, 'label-reallocation'),
      account: link(`/accounts/${account_id}`, 'account'),
      customer: link(`/customers/${customer_id}`, 'customer'),
    },
    ...{ id, created, topic, resourceId: resource_id },
  };
}

function page(path: string, type: string, { rows, total }: { rows: object[]; total: number }) {
  const to = (query: string) => link(`${path}?${query}`, type);
  return {
    _links: {
      self: to(`limit=${PAGE}`),
      first: to(`limit=${PAGE}`),
      last: to(`limit=${PAGE}&offset=${total}`),
      next: to('after='),
    },
    _embedded: { [`${type}s`]: rows.slice(0, PAGE) },
    total,
  };
}
