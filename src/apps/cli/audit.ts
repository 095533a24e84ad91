// `earmark audit`: checks the transparency log of an account against a verifier key, as an application that has no access to the database.
import { readFileSync } from 'node:fs';
import { type Audit, audit as auditAccount } from '../../../packages/proof/src/audit.ts';
import type { Policy } from '../../../packages/proof/src/cosignature.ts';
import { type Checkpoint, parseCheckpoint, parseVerifier, type Verifier } from '../../../packages/proof/src/note.ts';
import { isSignedBy } from '../../../packages/proof/src/sign.ts';
import { isId } from '../../core/ids.ts';
import { readEnvironment } from '../../platform/config/environment.ts';
import { openSource } from './audit-source.ts';
import { openDrawing } from './audit-statements.ts';
import type { Access } from './call-service.ts';
import { CallError, UsageError } from './command.ts';
import { bad, good, printText } from './output.ts';
import { printBeside, requireWritable, writeOutput } from './output-file.ts';
import { openProgress } from './progress.ts';

type Options = {
  url: string;
  account: string;
  key: string;
  checkpoint: string | undefined;
  witness: string[];
  quorum: string | undefined;
  save: string | undefined;
};

const SECRET = 'EARMARK_CLIENT_SECRET';
/** For all failures, because 1 means a contradiction. */
const FAILED_EXIT_CODE = 2;

export async function audit({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const verifier = parseVerifier(options.key);
  if (!verifier) throw new CallError('--key takes a verifier key as `log.key` of the account shows it: name+id+key.');
  // The URL of an account is accepted as well as its id.
  const account = options.account.split('/').at(-1)!;
  if (!isId(account)) throw new CallError('--account must be the id of an account.');
  const before = options.checkpoint === undefined ? undefined : readCheckpoint(options.checkpoint, verifier);
  if (options.quorum !== undefined && options.witness.length === 0) throw new CallError('--quorum needs --witness.');
  const policy = options.witness.length === 0 ? undefined : readPolicy(options);
  printBeside(options.save);
  if (options.save !== undefined) requireWritable(options.save);
  const progress = openProgress('auditing');
  try {
    const access = { base_url: options.url.replace(/\/$/, ''), ...readCredentials() };
    const source = openSource(access, account);
    const draw = openDrawing(source);
    const done = await auditAccount({ source, verifier, before, policy, draw, onShare: progress.show });
    progress.end();
    show(done, { verifier, before, policy, json });
    const holds = done.contradictions.length === 0;
    if (holds && options.save !== undefined) await writeOutput(options.save, [done.checkpoint]);
    return holds ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return FAILED_EXIT_CODE;
  } finally {
    progress.end();
  }
}

function readPolicy({ witness, quorum = `${witness.length}` }: Options): Policy {
  const witnesses = witness.map((text) => {
    const verifier = parseVerifier(text, 'cosignature');
    if (!verifier) throw new CallError(`--witness takes a key as \`earmark witness\` prints it: name+id+key, not ${text}.`);
    return verifier;
  });
  const needed = /^\d{1,3}$/.test(quorum) ? Number(quorum) : 0;
  if (needed < 1 || needed > witnesses.length) throw new CallError(`--quorum takes a number from 1 to ${witnesses.length}.`);
  return { witnesses, quorum: needed };
}

/** Reads the checkpoint of an earlier audit. Throws a CallError unless the key has signed it. */
function readCheckpoint(file: string, verifier: Verifier): Checkpoint {
  let note: string;
  try {
    note = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CallError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  const checkpoint = parseCheckpoint(note);
  if (!checkpoint || !isSignedBy(note, verifier)) throw new CallError(`${file} is not a checkpoint that the key has signed.`);
  return checkpoint;
}

/** The credentials in the environment. */
function readCredentials(): Pick<Access, 'client_id' | 'client_secret'> {
  const environment = readEnvironment({}, [SECRET]);
  const [client_id, client_secret] = [environment.text('EARMARK_CLIENT_ID'), environment.text(SECRET)];
  if (client_id && client_secret) return { client_id, client_secret };
  throw new CallError(`Set EARMARK_CLIENT_ID and ${SECRET} to the credentials of an application with the scope read.`);
}

function show(
  audited: Audit,
  {
    verifier,
    before,
    policy,
    json,
  }: { verifier: Verifier; before: Checkpoint | undefined; policy: Policy | undefined; json: boolean },
): void {
  const { checkpoint: _checkpoint, contradictions, ...counts } = audited;
  const log = verifier.name;
  if (json) {
    const holds = contradictions.length === 0;
    return void printText(`${JSON.stringify({ log, holds, ...counts, contradictions })}\n`);
  }
  const line = (result: string, text: string) => printText(`${result}  ${text}\n`);
  if (contradictions.length > 0) {
    for (const contradiction of contradictions) line(bad('BROKEN'), contradiction);
    return;
  }
  const { entries, customers, labels, statements, pruned, erased, old, late } = counts;
  const except = (number: number, text: string) => (number === 0 ? '' : `, except ${text}`);
  line(good('holds '), `log: ${count(entries, 'entry', 'entries')} lead to the signed checkpoint of ${log}`);
  if (policy) line(good('holds '), `witnesses: ${policy.quorum} of ${policy.witnesses.length} have cosigned it`);
  if (before) line(good('holds '), `history: it extends the earlier checkpoint of ${count(before.size, 'entry', 'entries')}`);
  const shown = `${count(customers, 'customer', 'customers')} with ${count(labels, 'label', 'labels')}`;
  const early = except(old, `those of ${count(old, 'entry', 'entries')} of an earlier release`);
  line(good('holds '), `money: ${shown} show the transfers and balances of the log${early}`);
  const gone = except(erased, `those of ${count(erased, 'customer', 'customers')}, which were erased`);
  line(good('holds '), `texts: they have the hashes of the log${gone}`);
  line(good('holds '), `statements: ${count(statements, 'is', 'are')} as the log has them`);
  const recreated = late === 0 ? '' : `, ${late.toLocaleString('en')} of them late, because they were lost and recreated`;
  const deleted = except(pruned, `the oldest ${pruned.toLocaleString('en')}, which retention has deleted`);
  line(good('holds '), `feed: it shows the events of the log in their order${recreated}${deleted}`);
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
