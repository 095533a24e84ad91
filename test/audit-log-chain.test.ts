// The hash chain of the operators' audit log, and its head in the transparency log of each account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseCheckpoint } from '../packages/proof/src/note.ts';
import { query } from './support/database.ts';
import { coveredLog, readLog } from './support/logs.ts';
import { openSession } from './support/operators.ts';
import { runCli, settingsOf } from './support/process.ts';
import { openAccount, startService, type TestService } from './support/service.ts';

const shared = await startService({ after });
const TWO_HOURS_SECONDS = 7_200;
/** Rewrites the audit log as somebody with the rights of the owner can: the chain is without a fault afterwards. */
const FORGE = `
  begin;
  create temporary table kept on commit drop as select * from audit_entry;
  alter table audit_entry disable trigger audit_entry_append_only;
  alter table audit_chain disable trigger audit_chain_append_only;
  delete from audit_chain;
  delete from audit_entry;
  alter table audit_entry enable trigger audit_entry_append_only;
  alter table audit_chain enable trigger audit_chain_append_only;
  update kept set actor = 'somebody else' where id = (select min(id::text)::uuid from kept);
  insert into audit_entry select * from kept order by id;
  commit`;

type Chain = { number: string; hash: string }[];

/** The newest entry of the log of an account that has a head of the audit log. */
async function newestHead(account: TestService) {
  const { note } = await coveredLog(account);
  const { entries } = await readLog(account, parseCheckpoint(note)!);
  return entries.findLast(({ topic }) => topic === 'account_audit_head_created');
}

/** The account two hours later, with a new token. */
async function advanced(account: TestService): Promise<TestService> {
  await account.call('POST', '/sandbox/clock', { body: { advanceSeconds: TWO_HOURS_SECONDS } });
  const token = await shared.tokenOf(account.client);
  const call: TestService['call'] = (method, path, options) => shared.send(method, path, { token, ...options });
  return { ...account, token, call, get: async (path: string) => (await call('GET', path)).body };
}

const verify = (t: Parameters<typeof runCli>[0]) => runCli(t, ['verify', '--full', '--json'], settingsOf(shared));

test('people who act at the same time make one chain', async () => {
  await Promise.all(Array.from({ length: 12 }, () => openSession(shared, 'viewer')));
  const chain = await query<{ number: string; hash: string }>(shared.databaseUrl, CHAIN);
  assert.deepEqual(
    chain.map(({ number }) => Number(number)),
    chain.map((_, index) => index + 1),
  );
  assert.equal(new Set(chain.map(({ hash }) => hash)).size, chain.length);
});

const CHAIN = `select number::text, encode(hash, 'hex') as hash from audit_chain order by audit_chain.number`;

test('each log gets the head within an hour, and a rewritten chain contradicts it', async (t) => {
  const first = await openAccount(shared);
  await openSession(shared, 'admin');
  assert.equal(await newestHead(first), undefined, 'not at once');
  const later = await advanced(first);
  const head = (await newestHead(later))!;
  const chain: Chain = await query(shared.databaseUrl, CHAIN);
  assert.deepEqual([head.auditEntries, head.auditHash], [chain.length, chain.at(-1)!.hash]);
  assert.equal((await later.call('GET', `/events/${head.id}`)).body.topic, 'account_audit_head_created');
  const again = await advanced(later);
  assert.equal((await newestHead(again))!.id, head.id, 'nothing has been added to the audit log');
  assert.equal((await verify(t)).code, 0);

  await query(shared.databaseUrl, FORGE);
  const { code, stdout } = await verify(t);
  const { violations } = JSON.parse(stdout) as { violations: { rule: string; detail: string }[] };
  assert.equal(code, 1);
  assert.deepEqual([...new Set(violations.map(({ rule }) => rule))], ['log entries match transfers']);
  assert.match(violations[0]!.detail, /^log entry \d+ has another hash of the audit log than its chain$/);
});
