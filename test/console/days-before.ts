// What a service has sampled in two days of work, and what went wrong in its last hour.

import { type Figures, SAMPLE_SECONDS } from '../../src/apps/jobs/samples.ts';
import { createWithoutSecret } from '../../src/resources/oauth/application.ts';
import type { TestService } from '../support/service.ts';

const DAYS_MS = 2 * 86_400_000;
const STEP_MS = SAMPLE_SECONDS * 1000;
const HOUR_MS = 3_600_000;
const APPLICATIONS = { Checkout: 900, 'Payroll of subsidiaries and branches': 300, 'Mobile app': 120 };

export async function storeTwoDays({ sql, client }: Pick<TestService, 'sql' | 'client'>): Promise<void> {
  const now = Date.now();
  const first = Math.ceil((now - DAYS_MS) / STEP_MS) * STEP_MS;
  for (let at = first, index = 0; at <= now; at += STEP_MS, index++) {
    const figures = figuresAt(new Date(at), { index, isWrong: at > now - HOUR_MS });
    await sql`
      insert into figure_sample (at, figures) values (${new Date(at)}, ${JSON.stringify(figures)}::jsonb)
      on conflict (at) do update set figures = excluded.figures`;
  }
  for (const [name, most] of Object.entries(APPLICATIONS)) {
    const id = await createWithoutSecret(sql, { accountId: client.account_id, name, scopes: ['read'] });
    for (let at = first; at <= now; at += STEP_MS)
      await sql`
        insert into application_calls (application_id, period, calls, refusals)
        values (${id}, ${new Date(at)}, ${Math.round(most * busyAt(new Date(at)))}, 0)`;
  }
}

/** From little at night to much by day. */
function busyAt(at: Date): number {
  const hours = at.getUTCHours() + at.getUTCMinutes() / 60;
  return 0.1 + 0.9 * Math.max(0, Math.sin((Math.PI * (hours - 5)) / 16)) * (at.getUTCDate() % 2 === 0 ? 1 : 0.7);
}

function figuresAt(at: Date, { index, isWrong }: { index: number; isWrong: boolean }): Figures {
  const busy = busyAt(at);
  const [reallocations, calls] = [Math.round(400 * busy), Math.round(1_400 * busy)];
  const failed = isWrong ? 820 : Math.round(12 * busy);
  return {
    ...{ reallocations: isWrong ? 3 : reallocations, reallocationsInAll: 400 * index, calls },
    refusals: Math.round((isWrong ? 0.3 : 0.02) * calls),
    ...{ delivered: Math.round(1_600 * busy), failed },
    webhookDelaySeconds: isWrong ? 720 : index % 40 === 0 ? 9 : 0,
    reviewAgeSeconds: (index % 100) * 600,
    held: { USD: String(12_500_000_000 + 9_000_000 * index), EUR: String(80_000_000 - 40_000 * index) },
  };
}
