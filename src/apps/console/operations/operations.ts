// Operations: housekeeping jobs, the ledger check, queues, refusals and keys.
import { refuse } from '../../../core/problems.ts';
import { html } from '../../../platform/pages/html.ts';
import { pageHeader } from '../../../platform/pages/parts.ts';
import { reviewQueue } from '../../../resources/documents/queue.ts';
import { listSigningKeys } from '../../../resources/oauth/signing-key.ts';
import { webhookBacklog } from '../../../resources/webhooks/backlog.ts';
import { jobs } from '../../jobs/jobs.ts';
import { listRuns, requestRun } from '../../jobs/runs.ts';
import type { Service } from '../../service/service.ts';
import type { Screen } from '../screen.ts';
import { checkCard, jobCard } from './jobs-and-check.ts';
import { addKeys, keyCard } from './keys.ts';
import { queueCard, refusalCard } from './state-cards.ts';

const HREF = '/console/operations';

export const operations: Screen = {
  href: HREF,
  label: 'Operations',
  icon: 'cpu-chip',
  group: 'Run',
  permission: 'readOperations',
  done: {
    job: 'The job is due now. A process starts it within a minute.',
    signing: 'The new key is made. It signs tokens after ten minutes.',
    log: 'The new key is made. Both sign for a year.',
    resealing: 'Sealing has started.',
    check: 'The ledger check has started. It uses at most a twentieth of one processor of the database.',
  },
  add(pages, service) {
    pages.page(HREF, 'readOperations', async ({ may }) => {
      const state = await readState(service);
      const mayRun = may('runOperations');
      return {
        title: 'Operations',
        scripts: ['progress.js'],
        main: html`${pageHeader({ title: 'Operations', lead: 'Queues, refusals and the ledger check are those of this process.' })}
          ${checkCard(service.verification.check(), { everySeconds: service.config.verifyEverySeconds, mayRun })}
          ${jobCard(state.runs, { mayRun, now: service.clock.now() })}
          <div class="columns">
            <div>${queueCard(service, state)} ${keyCard(state.signingKeys)}</div>
            ${refusalCard(service.metrics)}
          </div>`,
      };
    });
    addKeys(pages, service);
    pages.action(`${HREF}/jobs`, 'runOperations', async ({ audit }, form) => {
      const name = form.get('name') ?? '';
      if (!jobs.some((job) => job.name === name)) throw refuse('notFound');
      await service.database.transaction(async (tx) => {
        await requestRun(tx, name, service.clock.now());
        await audit({ action: 'run_job', detail: { job: name } }, tx);
      });
      return `${HREF}?done=job`;
    });
    pages.action(`${HREF}/ledger-check`, 'runOperations', async ({ audit }) => {
      await audit({ action: 'check_ledger' });
      service.verification.runNow();
      return `${HREF}?done=check`;
    });
  },
};

async function readState({ database: { sql } }: Pick<Service, 'database'>) {
  const [runs, webhooks, reviews, signingKeys] = await Promise.all([
    listRuns(sql),
    webhookBacklog(sql),
    reviewQueue(sql),
    listSigningKeys(sql),
  ]);
  return { runs, webhooks, reviews, signingKeys };
}
