// The first minute of an empty database: reallocations of one customer from the first second on, before anybody has analysed a table.
import { openProgress, type Progress } from '../src/apps/cli/progress.ts';
import { runLoad } from './load.ts';
import { reallocations } from './requests.ts';
import { openStage } from './stage.ts';

/** Reallocations per second in each window of `WINDOW_MS`. */
export type FirstMinute = { perSecond: number[] };

export const CONNECTIONS = 64;
const LABELS = 200;
const WINDOW_MS = 5_000;
const HAL = 'application/vnd.earmark.v1.hal+json';

/** Starts a service with nothing in it, creates a customer with labels through the API, and loads it for a number of windows. */
export async function measureFirstMinute(windows: number): Promise<FirstMinute> {
  const progress = openProgress('first minute');
  const stage = await openStage({ seeded: false });
  try {
    const labels = [await createLabels(stage)];
    const next = reallocations({ ...stage, labels }, 'uniform');
    const perSecond: number[] = [];
    while (perSecond.length < windows) {
      show(progress, perSecond.length / windows);
      const load = await runLoad({
        port: Number(new URL(stage.url).port),
        connections: CONNECTIONS,
        durationMs: WINDOW_MS,
        next,
      });
      const others = [...load.statuses.keys()].filter((status) => status !== 201);
      if (others.length > 0) throw new Error(`the first minute was answered with ${others}: ${stage.lastError()}`);
      perSecond.push(load.perSecond);
    }
    return { perSecond };
  } finally {
    progress.end();
    await stage.close();
  }
}

function show(progress: Progress, share: number): void {
  progress.show(share, `an empty database, ${CONNECTIONS} connections`);
}

/** The ids of the labels of a new customer, each with money. */
async function createLabels({ url, token }: { url: string; token: string }): Promise<string[]> {
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': HAL };
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`);
    return response.headers.get('location')!;
  };
  const amount = (value: string) => ({ amount: { value, currency: 'USD' } });
  const address = { address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701' };
  const person = {
    firstName: 'Bench',
    lastName: 'Mark',
    email: 'bench@example.com',
    dateOfBirth: '1980-01-02',
    ssn: '987-65-4321',
  };
  const customer = await post('/customers', { type: 'personal', ...person, ...address });
  await post(`${customer}/deposits`, amount('1000000.00'));
  const ids: string[] = [];
  while (ids.length < LABELS) {
    const label = await post(`${customer}/labels`, amount('1000.00'));
    ids.push(label.slice(label.lastIndexOf('/') + 1));
  }
  return ids;
}
