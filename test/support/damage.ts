// Damages rows in a transaction that is rolled back, and asserts that a rule of the ledger check finds each damage.
import assert from 'node:assert/strict';
import { verifyLedger } from '../../src/apps/service/ledger-check.ts';
import type { Database, Sql } from '../../src/platform/db/sql.ts';

/** Statements compute no times: a cluster refuses functions of columns that depend on the time zone. */
export async function assertFindsDamage(
  database: Pick<Database, 'transaction'>,
  rule: string,
  damages: ((tx: Sql) => Promise<unknown>)[],
): Promise<void> {
  for (const damage of damages) {
    const undone = new Error('undone');
    let rules: string[] = [];
    await database
      .transaction(async (tx) => {
        await damage(tx);
        rules = (await verifyLedger(tx)).map((violation) => violation.rule);
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    assert.ok(rules.includes(rule), `${damage} breaks ${rules.join(', ') || 'no rule'}`);
  }
}
