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
  about: 'Continues the transparency logs of a restored database, which signs nothing until then.',
  detail:
    'A backup may lack entries that were signed after it. A log that went on without them would contradict its own checkpoints, so a restore holds it. With the newest checkpoint that an auditor has, the log continues if it contains all of it. Otherwise --fork-log begins a log with another origin, which keeps the entries; auditors learn that the old one ended.',
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
    'It recomputes everything from the entries of the log: the signed checkpoint, its consistency with an earlier one, the balance of every label. Then it compares all labels, ledger entries and events that the service shows. It trusts only --key and --checkpoint, so get the key once, from GET /accounts/{id}, and keep the checkpoint of each audit for the next.\n\nThe credentials of an application with the scope read are in EARMARK_CLIENT_ID and EARMARK_CLIENT_SECRET (or EARMARK_CLIENT_SECRET_FILE).',
  options: {
    url: { value: 'URL', about: 'the service', required: true },
    account: { value: 'ID', about: 'the account', required: true },
    key: { value: 'KEY', about: 'the verifier key of the log, as `log.key` of the account shows it', required: true },
    checkpoint: { value: 'FILE', about: 'the checkpoint of an earlier audit, which the log must extend' },
    save: { value: 'FILE', about: 'writes the checkpoint into this file if everything holds; - is standard output' },
  },
  examples: [
    'earmark audit --url https://pay.example.com --account 01890000-0000-7000-8000-000000000000 --key "$LOG_KEY" --save checkpoint',
    'earmark audit --url https://pay.example.com --account 01890000-0000-7000-8000-000000000000 --key "$LOG_KEY" --checkpoint checkpoint --save checkpoint',
  ],
  exits: {
    1: 'a contradiction; stdout names it',
    2: 'the service cannot be reached or refuses the credentials, or invalid arguments',
  },
  run: async (call) => (await import('../audit.ts')).audit(call),
});
