// The ledger of a cluster after a fault, compared with what clients received.
import assert from 'node:assert/strict';
import type { Database } from '../../src/platform/db/sql.ts';
import { repeatAcknowledged, settleUnknown } from '../crash/ledger-check.ts';
import type { Attempt } from '../crash/load.ts';
import { callAgain, idOf } from '../support/http.ts';
import { runCli } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';
import { isSettled, type Load } from './fault-load.ts';
import type { FaultTarget } from './fault-target.ts';

export type Checked = {
  acknowledged: number;
  refused: number;
  unknown: number;
  unknownDone: number;
  lost: number;
  twice: number;
};

type Stored = { reference: string; id: string; fromId: string; toId: string; amount: bigint; entries: bigint };
type EventPage = { _links: { next?: { href: string } }; _embedded: { events: { topic: string; resourceId: string }[] } };

/** Repetitions and GET requests of each fault: of the last acknowledged reallocations, and of those around the fault. */
const CHECKED_EACH = 100;
const AT_ONCE = 16;
const TOPIC = 'customer_label_reallocation_created';

/** Settles the unanswered attempts by repeating them, and looks up all: in the database, and some by their Location and their key. */
export async function check(target: FaultTarget, attempts: Attempt[]): Promise<Checked> {
  const { unknown, done } = await settleUnknown(target.caller, attempts);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged');
  const some = acknowledged.slice(-CHECKED_EACH);
  await repeatAcknowledged(target.caller, some);
  await getEach(target, some);
  const { lost, twice } = await compare(target.database, attempts);
  const refused = attempts.length - acknowledged.length;
  return { acknowledged: acknowledged.length, refused, unknown, unknownDone: done, lost, twice };
}

async function getEach({ token }: FaultTarget, attempts: Attempt[]): Promise<void> {
  const left = attempts.values();
  const reader = async () => {
    for (const { location, cents } of left) {
      const { status, body } = await callAgain<{ amount?: { value: string } }>(location!, token);
      assert.deepEqual([status, body.amount?.value], [200, (cents / 100).toFixed(2)], location);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
}

/** Counts the acknowledged attempts that are missing, and those that are stored twice, otherwise or although they were refused. */
async function compare({ sql }: Database, attempts: Attempt[]): Promise<{ lost: number; twice: number }> {
  const rows = await sql<Stored>`
    select t.reference, t.id, t.from_id, t.to_id, t.amount, count(*) as entries
    from transfer t
    join ledger_entry e on e.bucket = t.bucket and e.transfer_id = t.id
      and (e.ledger_account_id = t.from_id and e.sequence = t.from_sequence or e.ledger_account_id = t.to_id and e.sequence = t.to_sequence)
    where t.reference = any(${attempts.map(({ reference }) => reference)})
    group by t.bucket, t.reference, t.id, t.from_id, t.to_id, t.amount`;
  const stored = Map.groupBy(rows, ({ reference }) => reference);
  let [lost, twice] = [0, 0];
  for (const attempt of attempts) {
    const found = stored.get(attempt.reference) ?? [];
    if (attempt.outcome === 'acknowledged' && found.length === 0) lost += 1;
    else if (attempt.outcome !== 'acknowledged' ? found.length > 0 : !(found.length === 1 && isSame(attempt, found[0]!)))
      twice += 1;
  }
  return { lost, twice };
}

function isSame(attempt: Attempt, { id, fromId, toId, amount, entries }: Stored): boolean {
  const { location, from, to, cents } = attempt;
  return id === idOf(location!) && fromId === idOf(from) && toId === idOf(to) && amount === BigInt(cents) && entries === 2n;
}

/** What a client repeats. On a busy machine a lane needs longer than a call waits to connect to the new place of a group. */
const REPEATED = [429, 503];

/** Ends a load when it serves every customer. Each call must have been answered with what happened, or REPEATED. Returns the attempts. */
export async function stopAnswered(load: Load): Promise<Attempt[]> {
  await load.served();
  const made = await load.stop();
  assert.deepEqual(
    load.calls.filter(({ status }) => !isSettled(status) && !REPEATED.includes(status)),
    [],
    'every call is answered',
  );
  return made;
}

/** As stopAnswered. What was not settled is done once when it is repeated, too, and each acknowledged reallocation is stored once. */
export async function stopUnharmed(target: FaultTarget, load: Load): Promise<Attempt[]> {
  const made = await stopAnswered(load);
  const { lost, twice } = await check(target, made);
  assert.deepEqual({ lost, twice }, { lost: 0, twice: 0 });
  return made;
}

/** At the end: the ledger check holds, nothing else is stored, and the feed has the event of each reallocation once. */
export async function checkAll(t: TestScope, target: FaultTarget, attempts: Attempt[]): Promise<{ events: number }> {
  const { databaseUrl, dataDir, database } = target;
  const { code, stdout, stderr } = await runCli(t, ['verify', '--full'], { DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged').map(({ location }) => idOf(location!));
  const [counted] = await database.sql<{ count: bigint }>`select count(*) from transfer where kind = 'reallocation'`;
  assert.equal(Number(counted!.count), acknowledged.length, 'no other reallocation is stored');
  const told = await followEvents(target);
  assert.equal(told.length, new Set(told).size, 'no reallocation has two events');
  assert.deepEqual(told.sort(), acknowledged.sort(), 'each reallocation has its event');
  return { events: told.length };
}

/** The resources of all events of reallocations, by the pages of the feed. */
async function followEvents({ url, token }: FaultTarget): Promise<string[]> {
  const found: string[] = [];
  let path: string | undefined = `${url}/events?order=oldest&limit=200&topic=${TOPIC}`;
  while (path !== undefined) {
    const { status, body }: { status: number; body: EventPage } = await callAgain<EventPage>(path, token);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...body._embedded.events.map(({ resourceId }) => resourceId));
    path = body._links.next?.href;
  }
  return found;
}
