// The rows that plans read and then reject, which blocks do not show: a join may keep a table in memory and compare each of its rows.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
};
type Explained = { 'Query Text': string; Plan: Node };
/** `node`: the one that rejected most. `rejected`: by it, in all its loops. */
export type Plan = { text: string; node: string; rejected: number };

const LOGS = 'plans';
/** The server writes the plan of each statement, those within functions included, to a log. */
export const PLANS_LOGGED = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_directory: LOGS,
  log_rotation_size: '0',
};

/** The plans in the log of a server, in the order in which they ended. */
export function readPlans(dataDir: string): Plan[] {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const logs = files.filter((file) => file.endsWith('.json') && basename(dirname(file)) === LOGS);
  const lines = logs.flatMap((file) => readFileSync(join(dataDir, file), 'utf8').split('\n'));
  return lines.flatMap((line) => {
    const message: string = line === '' ? '' : JSON.parse(line).message;
    const start = message.indexOf('plan:\n');
    return start < 0 ? [] : [summaryOf(JSON.parse(message.slice(start + 'plan:\n'.length)))];
  });
}

/** The plans with a node that rejects more than so many rows. */
export function rejecting(plans: Plan[], most: number): Plan[] {
  return plans.filter(({ rejected }) => rejected > most);
}

function summaryOf({ 'Query Text': text, Plan: root }: Explained): Plan {
  const worst = nodesOf(root).reduce((one, other) => (rejectedBy(other) > rejectedBy(one) ? other : one));
  const of = worst['Index Name'] ?? worst['Relation Name'] ?? '';
  return { text: text.replaceAll(/\s+/g, ' '), node: `${worst['Node Type']} ${of}`.trim(), rejected: rejectedBy(worst) };
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rejectedBy(node: Node): number {
  return ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops'];
}
