// The program of an operation's sample: the recorded example as a call, with the calls that it needs in a sandbox.
import type { Operation } from '../operation.ts';
import { SPECIMEN } from '../specimen.ts';
import type { Call, Program } from './call.ts';
import { type Extra, preparations } from './preparations.ts';

/** The variable of a resource, by the collection in its path. Other collections give theirs in the singular. */
const NAMES: Readonly<Record<string, string>> = {
  labels: 'FROM',
  'ledger-entries': 'ENTRY',
  'label-reallocations': 'REALLOCATION',
  'label-reallocation-batches': 'BATCH',
  'allocation-rules': 'RULE',
  'beneficial-owners': 'OWNER',
  'webhook-subscriptions': 'SUBSCRIPTION',
};

type Recorded = { path: string; body: unknown };

export type SampleContext = {
  /** All operations, by id. */
  operations: ReadonlyMap<string, Operation>;
  vendor: string;
  /** What this sandbox has, by variable. Empty elsewhere: samples then read the environment, and make nothing. */
  values: Readonly<Record<string, string>>;
  /** The variables of the URLs in recorded examples. */
  recorded: ReadonlyMap<string, string>;
};

export function programOf(operation: Operation, example: Recorded, context: SampleContext): Program {
  const { operations, vendor, values, recorded } = context;
  const url = values.BASE_URL;
  const isSandbox = url !== undefined;
  const prepared = isSandbox ? preparations[operation.id] : undefined;
  const { on, rest } = split(example.path.replace(PAGE_SIZE, ''));
  const main: Call = {
    ...{ operation, on: prepared?.on ?? on, rest, role: 'main' },
    body: prepared?.body ?? withVariables(example.body, recorded),
    isAwaited: prepared?.isAwaited,
  };
  const extra = (role: Call['role'], given: Extra[] = []) =>
    given.map((one): Call => {
      const found = operations.get(one.operation)!;
      const { on, rest } = split(found.path);
      return { operation: found, role, on: one.on ?? on, rest: `${rest}${one.query ?? ''}`, body: one.body, result: one.result };
    });
  return {
    calls: [...extra('before', prepared?.before), main, ...extra('after', prepared?.after)],
    ...{ vendor, values },
    specimen: isSandbox ? `${url}${SPECIMEN}` : undefined,
  };
}

/** Divides a path into the variable of its resource and the rest. A query that names a resource is left out. */
function split(path: string): Pick<Call, 'on' | 'rest'> {
  const [plain = '', query] = path.split('?');
  const rest = query === undefined || ID.test(query) ? '' : `?${query}`;
  const parts = plain.split('/');
  const at = parts.findIndex((part) => part === '{id}' || ID.test(part));
  if (at < 0) return { on: 'BASE_URL', rest: `${plain}${rest}` };
  const collection = parts[at - 1]!;
  const on = NAMES[collection] ?? collection.replace(/s$/, '').replaceAll('-', '_').toUpperCase();
  return { on, rest: `${['', ...parts.slice(at + 1)].join('/')}${rest}` };
}

/** Recorded examples have short pages. A sample reads all of a list. */
const PAGE_SIZE = /[?&]limit=\d+$/;
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** A body with variables for the resources of the recorded sandbox. */
function withVariables(body: unknown, recorded: SampleContext['recorded']): unknown {
  if (body === undefined) return undefined;
  return JSON.parse(JSON.stringify(body), (name, value) => {
    if (name === 'token') return '$TOKEN';
    const variable = recorded.get(value);
    return variable === undefined ? value : `$${variable}`;
  });
}
