// `earmark verify`: proves the books and says what breaks them.
import { checks, verifyLedger } from '../ledger/verify.ts';
import { type Command, print, readArgs } from './command.ts';
import { withDatabase } from './with-database.ts';

export const verify: Command = {
  name: 'verify',
  usage: ['verify'],
  about: 'Proves the books: money conserved, entries explain balances, nothing below zero. Exit code 1 when a rule is broken.',
  async run(args) {
    const { values } = readArgs(args, {});
    const violations = await withDatabase(({ database }) =>
      database.transaction(async (tx) => {
        await tx`set transaction isolation level repeatable read, read only`;
        return verifyLedger(tx);
      }),
    );
    if (values.json) print({ rules: checks.map(({ name }) => name), violations }, true);
    for (const { name, about } of values.json ? [] : checks) {
      const broken = violations.filter((violation) => violation.rule === name);
      process.stdout.write(`${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${name}: ${about}\n`);
      for (const { bucket, id, detail } of broken) process.stdout.write(`        bucket ${bucket}, ${id}: ${detail}\n`);
    }
    return violations.length === 0 ? 0 : 1;
  },
};
