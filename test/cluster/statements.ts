// The statements of the product that run on several groups of a cluster: Citus logs each. All others name their bucket, or the buckets of
// one group.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

/** Settings of a server whose log has a line for each statement on several shards. */
export const STATEMENT_LOG = {
  logging_collector: 'on',
  log_destination: "'jsonlog'",
  log_min_messages: 'log',
  log_checkpoints: 'off',
  'citus.multi_task_query_log_level': 'log',
  // Otherwise the log includes generic plans that are made for comparison and never run.
  plan_cache_mode: 'force_custom_plan',
};

/** Statements that run on all groups on purpose, by a part of their text. */
export const EVERYWHERE: [text: RegExp, reason: string][] = [
  [/from customer where account_id = /, 'the customers of an account, for its reset and its export'],
  [/from customer c where (\$\{search|account_id = |c\.)/, 'the customers of an account, for its list and its search'],
  [/^select bucket, id, account_id, type, .* from customer where bucket = any\(/, 'a page of customers that a search found'],
  [/^(with removed as \( )?delete from \w+ (e using ledger_account a )?where .*bucket = any\(/, 'the reset of a sandbox account'],
  [/^delete from event_outbox where (account_id = |array_length)/, 'the reset of a sandbox account, and a restore'],
  [/^delete from customer_external_id where account_id = /, 'the reset of a sandbox account'],
  [/from document d (left join .* )?where (\$\{waits\}|\(?d\.status = 'pending')/, 'the review queue'],
  [/from document d left join account_clock clock on .* left join document_check_lease /, 'the documents whose check is due'],
  [
    /^select count\(\*\)::int as count from \( ?select 1 from (transfer|customer) where /,
    'how many rows of a list are new, in the console',
  ],
  [/^select id from document where pending_until <= now\(\)/, 'a job records decisions that nobody took back in time'],
  [/^select d\.id, .* from document d join customer c .* where d\.decided is not null /, 'the decided documents, in the console'],
  [/^select id, kind, name from ledger_account where bucket = any\(/, 'both sides of transfers of several customers'],
  [/from document where erased is null and held is null and coalesce\(decided, created\) <= /, 'a job erases documents'],
  [/^select count\(\*\) as sampled, /, 'the sample of a policy, of which people decided'],
  [/from loose_content where doomed or since < /, 'a job deletes content from the store'],
  [/^with old as \( select bucket, key from idempotency_key where created < /, 'a job deletes old keys'],
  [
    / as w \(bucket, id(, place|, customer)?\) join (transfer t|customer c|ledger_account a) on /,
    'the transfers, customers and labels of new entries of a transparency log: the feed has customers of all groups, which one statement asks at the same time',
  ],
  [/^select distinct (ledger_account_id|account_id) from .*status = 'pending' and amount > 0/, 'the holds that have expired'],
  [/^select distinct (customer_id|account_id) from schedule where status = 'active'/, 'the customers whose schedules are due'],
  [/^select id, account_id from schedule where status = 'paused'/, 'the paused schedules, of the command line'],
  [/^select s\.id, s\.account_id from schedule s left join account_clock /, 'the active schedules, of the command line'],
  [/^select min\(next\) as oldest from schedule where status = 'active'/, 'the metric of late schedules'],
  [/^select m\.customer_id, m\.label_id from unnest\(/, 'the monitors of the customers in new events of a feed'],
  [
    /^select 1 from event_outbox where \$(\d+|\{resourceId\})::uuid = any \(ids\) limit 1$/,
    'the ledger check looks for a change that is not settled',
  ],
  [
    /^select width_bucket\(id, .* from transfer where kind = 'reallocation' /,
    'the reallocations of a day, in the overview of the console',
  ],
  [/ from ledger_account where account_id = .* group by currency/, 'the totals of an account'],
  [/ from ledger_account where name is not null and /, 'the labels that the console finds by a name'],
  [/ from beneficial_owner where last_name <> '' and /, 'the owners that the console finds by a name'],
  [/ from webhook_subscription where removed is null and position\(/, 'the subscriptions that the console finds by a URL'],
  [/^select d\.id, d\.type, coalesce\(o\.first_name, /, 'the names of the documents in the audit log'],
  [
    /^select id, customer_id, name, .* from ledger_account where bucket = any\(/,
    'the labels of the customers that the console found',
  ],
  [
    /^select distinct on \(d\.id\) d\.id, d\.bucket, r\.basis, r\.decision from document_review r /,
    'the checked documents that the command line checks again',
  ],
  [
    /^select document_id, reviewer from document_review where bucket = any\(/,
    'who decided the documents of a page, in the console',
  ],
  [/^update document set claimed_by = null, claimed_until = null where claimed_by = /, 'the other claim of a reviewer'],
  [/^with examined as materialized \( select id, bucket, /, 'the search for transfers of an account'],
  [/ where t\.bucket = any \(\$?\d* ?.*order by t\.created desc, t\.id desc$/, 'the transfers that a search found'],
  [
    /^select a\.id, a\.account_id, a\.customer_id, a\.removed, a\.kind from unnest\(/,
    'the labels that the items of a batch name',
  ],
  [
    /^select l\.id, l\.account_id, l\.customer_id, l\.currency, e\.id as external_id, l\.kind from unnest\(/,
    'the labels that the withdrawals of a batch name',
  ],
  [
    /^select id, first_name, last_name, profile ->> 'businessName' as business_name from customer where /,
    'the customers of a list of the console',
  ],
  [/^with matching as materialized \( ?select c\.id from customer c where /, 'the search for customers in the console'],
  [/ as business_name from customer c where /, 'the search for customers in the console'],
  [/\bbucket between /, 'the ledger check and the sum of the money held read ranges of buckets'],
  [/^select created::text from transfer where created > /, 'the next new transfers of the ledger check'],
  [/ from webhook_subscription where account_id = /, 'the webhook subscriptions of an account, and its reset'],
  [/ webhook_subscription s where s\.account_id = /, 'the clock and the reset of a sandbox account'],
  [/^update webhook_subscription set secret_before_expires = /, 'the clock of a sandbox account'],
  [
    / from webhook_subscription where removed is null(?! and bucket)/,
    'the subscriptions of all accounts, for the operator and metrics',
  ],
  [/ from \(select 1 from webhook_due limit /, 'the deliveries that wait, for the operator and metrics'],
  [/ from webhook_subscription$/, 'retention of webhooks'],
  [/^delete from webhook_subscription where removed < /, 'retention of webhooks'],
];

const MESSAGE = 'multi-task query about to be executed';
/** Shorter texts occur everywhere. */
const TELLING_LENGTH = 12;

type Line = { message?: string; statement?: string; context?: string };

/** Reads the logs in the servers' folders. Returns the statements of the product that run on several groups and are not expected to. */
export function findStatementsOnSeveralGroups(dataDirs: string[]): string[] {
  const source = plain(
    globSync(['src/**/*.ts', 'migrations/**/*.sql'], { cwd: ROOT, exclude: ['**/*.test.ts'] })
      .map(read)
      .join('\n'),
  );
  const statements = new Set(dataDirs.flatMap(statementsOf));
  return [...statements].filter(
    (statement) => isOf(source, statement) && !EVERYWHERE.some(([text]) => text.test(plain(statement))),
  );
}

/** The innermost statement of each line about several groups. */
function statementsOf(dataDir: string): string[] {
  const lines = globSync(join(dataDir, 'log/*.json')).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.flatMap((text) => {
    if (!text.includes(MESSAGE)) return [];
    const { statement = '', context = '' } = JSON.parse(text) as Line;
    const inner = /SQL statement "(.*?)"\nPL\/pgSQL function/s.exec(context)?.[1];
    return [inner ?? statement];
  });
}

/** Whether the end and most lines of a statement are in the source. Tests have other statements. */
function isOf(source: string, statement: string): boolean {
  const end = plain(statement.split(/\n|\$\d+/).at(-1)!);
  if (end !== '' && !['`', ' `', ';', '$'].some((next) => source.includes(end + next))) return false;
  const pieces = statement
    .split('\n')
    .flatMap((line) => line.split(/\$\d+/).map(plain))
    .filter((piece) => piece.length >= TELLING_LENGTH);
  const lengthOf = (texts: string[]) => texts.join('').length;
  return pieces.length > 0 && lengthOf(pieces.filter((piece) => source.includes(piece))) > lengthOf(pieces) / 2;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
