// What runs in the background: the ledger check with its progress, and the housekeeping jobs.
import { BUCKETS } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { LedgerCheck } from '../../../platform/worker-coordination.ts';
import type { JobRun } from '../../jobs/runs.ts';
import { agoText, durationText } from '../quantity.ts';

export function checkCard(check: LedgerCheck, { everySeconds, mayRun }: { everySeconds: number; mayRun: boolean }): Html {
  const { last, newest, complete, broken, progress } = check;
  const run = html`<form method="post" action="/console/operations/ledger-check">
    <button class="button" type="submit">Run now</button>
  </form>`;
  return card(
    {
      title: 'Ledger check',
      lead: 'Proves the money of what is new all the time, and checks every rule over all entries from time to time.',
      actions: mayRun && progress === undefined && run,
    },
    html`${progress !== undefined && progressOf(progress)}
      <dl class="facts">
        <dt>Result</dt>
        <dd>${stateOf(check)} ${broken.join(', ')}</dd>
        <dt>Money</dt>
        <dd>${newest ? moneyOf(newest) : 'not proven since the start'}</dd>
        <dt>Every rule</dt>
        <dd>${complete ? `held ${agoText(complete)} ago` : 'not yet over everything'}</dd>
        <dt>Last run</dt>
        <dd>${last ? html`${time(last.finished, 'seconds')}, took ${durationText(last.durationMs)}` : 'none yet'}</dd>
        <dt>Repeated</dt>
        <dd>${everySeconds > 0 ? `every ${durationText(everySeconds * 1000)}` : 'only on request'}</dd>
      </dl>`,
  );
}

function stateOf({ broken, isFailing, last, newest }: LedgerCheck): Html {
  if (broken.length > 0) return badge('failed', 'bad');
  if (isFailing) return html`${badge('ends with an error', 'bad')} <span class="small">The log has the error.</span>`;
  return last || newest ? badge('passed', 'good') : badge('not run since the start', 'neutral');
}

function moneyOf({ asOf, transfers, buckets }: NonNullable<LedgerCheck['newest']>): string {
  const rest = buckets < BUCKETS ? `, for ${((buckets / BUCKETS) * 100).toFixed(1)} % of the customers` : '';
  return `proven as of ${agoText(asOf)} ago${rest}; ${transfers.toLocaleString('en')} transfers were new`;
}

/** The page is loaded again while the check runs; without a script the person does it. */
function progressOf(share: number): Html {
  const percent = Math.round(share * 100);
  return html`<p data-reload>
    <label for="check-progress">The check runs: ${percent} %</label>
    <progress class="progress" id="check-progress" max="100" value=${percent}></progress>
  </p>`;
}

export function jobCard(runs: JobRun[], { mayRun, now }: { mayRun: boolean; now: Date }): Html {
  const columns = ['Job', 'Last run', 'Result', 'Next run', ...(mayRun ? ['Action'] : [])].map((label) => ({ label }));
  const rows = runs.map((run) => [
    html`${run.name}<br /><span class="muted small job-about">${run.about}</span>`,
    run.finished ? time(run.finished) : html`<span class="muted">never</span>`,
    resultOf(run),
    !run.due || run.due <= now ? 'within a minute' : time(run.due),
    ...(mayRun
      ? [
          html`<form method="post" action="/console/operations/jobs">
            <input type="hidden" name="name" value=${run.name} />
            <button class="button button-small" type="submit">Run<span class="visually-hidden"> ${run.name}</span></button>
          </form>`,
        ]
      : []),
  ]);
  return card({ title: 'Housekeeping jobs', isBare: true }, table({ caption: 'Housekeeping jobs', columns, rows }));
}

function resultOf({ error, result, finished }: JobRun): Html {
  if (error) return html`${badge('failed', 'bad')} <span class="small">${error}</span>`;
  if (!finished) return '';
  const counts = Object.entries(result ?? {}).filter(([, count]) => count > 0);
  return html`${badge('done', 'good')}
    <span class="muted small">${counts.map(([name, count]) => ` ${name} ${count.toLocaleString('en')}`).join(',') || ' nothing to do'}</span>`;
}
