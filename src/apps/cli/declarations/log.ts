// Declarations of the commands for transparency logs.
import { command } from '../command.ts';

/** The options that continue the transparency logs of a restored database. */
export const logOptions = {
  checkpoint: {
    value: 'FILE',
    about: 'the newest checkpoint of an auditor: continues its log, unless the log is shorter or differs',
    multiple: true,
  },
  'fork-log': { about: 'begins logs with another origin for all that are still held; auditors see it' },
} as const;

/** Asks before logs get another origin, which cannot be undone. */
export function askBeforeFork({ options }: { options: { 'fork-log': boolean } }): string | undefined {
  return options['fork-log'] ? 'Begin new logs for all that are still held? Auditors see that the old ones ended.' : undefined;
}

export const continueLogs = command({
  name: 'log continue',
  about: 'Continues the transparency logs that are held after a restore or a failover.',
  detail:
    'A backup may lack entries that were signed after it, and so may a standby that was promoted. A log that went on without them would contradict its own checkpoints, so it is held. With the newest checkpoint that an auditor has, the log continues if it contains all of it. Otherwise --fork-log begins a log with another origin, which keeps the entries; auditors learn that the old one ended.',
  options: logOptions,
  examples: ['earmark log continue --checkpoint checkpoint', 'earmark log continue --fork-log'],
  exits: { 1: 'not continued: a log is shorter than a checkpoint, or differs' },
  asks: askBeforeFork,
  run: async (call) => (await import('../log.ts')).continueLogs(call),
});

export const audit = command({
  name: 'audit',
  about:
    'Checks the transparency log of an account, and that the service shows what the log says. It needs no access to the database.',
  detail:
    'It recomputes everything from the entries of the log: the signed checkpoint, its consistency with an earlier one, every balance of every customer. Then it compares what the service shows: deposits, withdrawals, reallocations, labels, ledger entries, balances, the texts of all of them by their hashes, the statements of the months with entries byte for byte, and the events. It trusts only --key and --checkpoint, so get the key once, from GET /accounts/{id}, and keep the checkpoint of each audit for the next. With --witness it audits a checkpoint that witnesses have cosigned and that covers everything which the service has signed: without them, the operator could show you a history that others do not see.\n\nThe credentials of an application with the scope read are in EARMARK_CLIENT_ID and EARMARK_CLIENT_SECRET (or EARMARK_CLIENT_SECRET_FILE).',
  options: {
    url: { value: 'URL', about: 'the service', required: true },
    account: { value: 'ID', about: 'the account', required: true },
    key: { value: 'KEY', about: 'the verifier key of the log, as `log.key` of the account shows it', required: true },
    checkpoint: { value: 'FILE', about: 'the checkpoint of an earlier audit, which the log must extend' },
    witness: {
      value: 'KEY',
      about: 'the key of a witness that must have cosigned, as `earmark witness` prints it',
      multiple: true,
    },
    quorum: { value: 'NUMBER', about: 'how many of the witnesses must have cosigned', fallback: 'all' },
    save: { value: 'FILE', about: 'writes the checkpoint into this file if everything holds; - is standard output' },
  },
  examples: [
    'earmark audit --url https://pay.example.com --account 01890000-0000-7000-8000-000000000000 --key "$LOG_KEY" --save checkpoint',
    'earmark audit --url https://pay.example.com --account 01890000-0000-7000-8000-000000000000 --key "$LOG_KEY" --checkpoint checkpoint --save checkpoint',
  ],
  exits: {
    1: 'a contradiction; stdout names it',
    2: 'the service cannot be reached, refuses the credentials or has no such log, or invalid arguments',
  },
  run: async (call) => (await import('../audit.ts')).audit(call),
});

export const witness = command({
  name: 'witness',
  about:
    'Cosigns the checkpoints of transparency logs, so that their operator cannot show two histories. It is not a part of the service.',
  detail:
    'An independent party runs it: a platform, or its auditor. It has the protocol of C2SP tlog-witness, and cosigns a checkpoint only if it extends the one that it cosigned last. Give the printed key and the URL to the operator, who sets LOG_WITNESSES, and the key to auditors, who use `earmark audit --witness`. A proxy adds TLS.\n\nThe folder --data has the key of the witness, and must not be lost, copied or restored from a backup: with an older state the witness could cosign a fork. If it is lost, start a witness with another name.\n\nA checkpoint that does not extend the latest one is refused, and both are written to standard error: keep them as evidence.',
  options: {
    name: { value: 'NAME', about: 'the name of the witness, such as witness.example/w1', required: true },
    logs: { value: 'FILE', about: 'the verifier keys of the logs (`log.key` of accounts), one a line', required: true },
    data: { value: 'FOLDER', about: 'where the witness keeps its key and what it has cosigned', required: true },
    host: { value: 'HOST', about: 'address to listen on', fallback: 'localhost' },
    port: { value: 'PORT', about: 'port to listen on', fallback: '8081' },
  },
  examples: ['earmark witness --name witness.example/w1 --logs logs.txt --data /var/lib/earmark-witness'],
  isService: true,
  run: async (call) => (await import('../witness.ts')).witness(call),
});
