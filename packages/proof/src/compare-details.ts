// Compares the texts of a customer and of its labels with the hashes of a log.
import { decodeText } from './bytes.ts';
import { canonicalize, commit, type Details } from './commitment.ts';
import type { CustomerLog, Texts } from './logged.ts';
import { Contradiction } from './read-entries.ts';
import type { Replay } from './replay.ts';
import { hasNews, type Report, type Source } from './source.ts';

type Disclosed = { salt: string | null; customer: Details; labels: Details[]; more: boolean };
type Shown = Record<string, unknown> & { id: string };

/** Members of details that are not members of the resource, or not under this name. */
const HIDDEN = ['statusBefore', 'profile'];
/** Of a customer in such a status, the one before decides what it may do next. */
const CLOSED = ['suspended', 'deactivated'];

/** Returns the texts, which later comparisons need. Undefined if the service does not show the customer. */
export async function compareDetails(
  source: Source,
  { id, known }: CustomerLog,
  { replay, report }: { replay: Replay; report: Report },
): Promise<Texts | undefined> {
  const texts = await readDetails(source, id);
  const shown = await source.get<Shown>(`/customers/${id}`);
  if (!texts || !shown) return undefined;
  const { salt, customer, labels } = texts;
  if (salt === null && !known.isErased) report(`changed row: the salt of customer ${id} is missing, and the log has no erasure`);
  const compare = async (details: Details, name: string) => {
    const newest = replay.newest.get(details.id);
    if (salt === null || !newest || commit(salt, canonicalize(details)) === newest.details) return;
    if (await hasNews(source, details.id, newest.event)) return;
    report(`changed row: ${name} ${details.id} has other texts than entry ${newest.index} of the log`);
  };
  await compare(customer, 'customer');
  const differing = faultOfShown(customer, shown);
  if (differing !== undefined && !(await hasNews(source, id, replay.newest.get(id)?.event)))
    report(`changed row: customer ${id} is shown with another ${differing} than its details`);
  for (const details of labels.values()) {
    if (known.labels.has(details.id) || !known.isWhole) await compare(details, 'label');
    else if (!(await hasNews(source, details.id))) report(`label ${details.id} is shown, and is not in the log`);
  }
  for (const label of known.labels.keys()) if (!labels.has(label)) report(`label ${label} of the log is missing`);
  return texts;
}

async function readDetails(source: Source, id: string): Promise<Texts | undefined> {
  const labels = new Map<string, Details>();
  for (let after = ''; ; ) {
    const bytes = await source.log(`customers/${id}${after}`);
    if (!bytes) return undefined;
    const { salt, customer, labels: page, more } = parseDisclosed(bytes, id);
    for (const details of page) labels.set(details.id, details);
    if (!more) return { salt, customer, labels, ofTransfers: new Map() };
    after = `?after=${page.at(-1)!.id}`;
  }
}

function parseDisclosed(bytes: Uint8Array, id: string): Disclosed {
  try {
    const disclosed: Disclosed = JSON.parse(decodeText(bytes));
    if (disclosed.customer.id === id && Array.isArray(disclosed.labels)) return disclosed;
  } catch {
    // Named below.
  }
  throw new Contradiction(`the details of customer ${id} are malformed`);
}

/** The member of a customer that is not that of its details. */
function faultOfShown(details: Details, shown: Shown): string | undefined {
  const members = { ...details, ...(details.profile as object) } as Record<string, unknown>;
  const differing = Object.keys(members).find(
    (name) => !HIDDEN.includes(name) && canonicalize(members[name]) !== canonicalize(shown[name]),
  );
  const links = shown._links as Record<string, unknown>;
  const { status, statusBefore } = details;
  const mayReceive = status === 'verified' || statusBefore === 'verified';
  const mayReturn = CLOSED.includes(String(status)) && (statusBefore ?? null) !== null;
  if ('deposit' in links !== mayReceive || 'reactivate' in links !== mayReturn) return 'status';
  return differing;
}
