// `npm run bench -- [NAME] [options]`: the benchmarks. Without a name, the throughput of reallocations.
import { listPrograms, type Programs, runProgram } from '../test/support/programs.ts';

const DEFAULT = 'throughput';
const QUICK = '--quick, which takes less time and measures less exactly';

export const BENCHMARKS: Programs = {
  throughput: {
    file: 'bench/bench.ts',
    shows: 'Reallocations per second, with limits and rivals (the default).',
    options: `${QUICK}; --growth, --to TRANSFERS`,
  },
  against: {
    file: 'bench/against.ts',
    shows: 'What a reallocation or a deposit costs beside another revision.',
    needs: 'a work tree of that revision, after `npm ci`',
    options: 'FOLDER, --deposits, --starts N, --pairs N',
  },
  batches: {
    file: 'bench/batches.ts',
    shows: 'Batches over HTTP, and the posting function called directly.',
    options: QUICK,
  },
  check: {
    file: 'bench/check.ts',
    shows: 'What increments of the ledger check cost, and how old their proof is under load.',
    options: QUICK,
  },
  clients: {
    file: 'bench/clients.ts',
    shows: 'The CPU of each way to authenticate: secret, key, DPoP, certificate.',
    options: QUICK,
  },
  cluster: {
    file: 'bench/cluster.ts',
    shows: 'The CPU of databases for each reallocation, on one server and on a cluster.',
    needs: 'PostgreSQL with Citus in CITUS_HOME',
    options: QUICK,
  },
  console: {
    file: 'bench/console.ts',
    shows: 'The time of every page of the console, with a million transfers.',
    options: QUICK,
  },
  decisions: {
    file: 'bench/document-decisions.ts',
    shows: 'Wrong decisions on pictures of documents, with true and false records.',
    options: '--seed N, --pictures N',
  },
  documents: {
    file: 'bench/documents.ts',
    shows: 'What ten uploads a second cost the rate of reallocations.',
    options: QUICK,
  },
  hints: {
    file: 'packages/document-reader/bench/hints.ts',
    shows: 'How often honest pictures of documents give a hint to reviewers, and how often those do that should.',
    options: '--seed N, --photographs N',
  },
  likeness: {
    file: 'packages/document-reader/bench/likeness.ts',
    shows: 'How alike two people of one layout are to the document reader, and one portrait with two zones.',
    options: '--seed N, --layouts N',
  },
  log: { file: 'bench/log.ts', shows: 'What the transparency log costs for each event.', options: QUICK },
  presence: {
    file: 'packages/document-reader/bench/presence.ts',
    shows: 'How many whole documents, and how many forged pages, look like a document.',
    options: '--seed N, --pictures N, --drawer first|second, --only REGEX',
  },
  reader: {
    file: 'packages/document-reader/bench/bench.ts',
    shows: 'Read rates and calibration of the document reader.',
    options: '--seed N, --pictures N',
  },
  'reader-train': {
    file: 'packages/document-reader/training/train.ts',
    shows: 'Trains the classifier of the document reader; ten minutes.',
  },
  reads: {
    file: 'bench/reads.ts',
    shows: 'What a read costs beside a lean service on the same database.',
    options: `${QUICK}; --beside FOLDER, --only READ, --rounds N`,
  },
  tails: {
    file: 'bench/tails.ts',
    shows: 'The first requests after a start, a pause and a reload, and the slow ones at half of capacity.',
    options: `${QUICK}; --cold, only the first requests`,
  },
  webhooks: { file: 'bench/webhooks.ts', shows: 'Deliveries per second to a local receiver.', options: QUICK },
  workers: { file: 'bench/workers.ts', shows: 'One process of the service, and several behind one port.', options: QUICK },
};

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2);
  const named = first !== undefined && !first.startsWith('-');
  if (first === '--help') process.stdout.write(listPrograms(BENCHMARKS, 'bench'));
  else
    runProgram(BENCHMARKS, {
      script: 'bench',
      name: named ? first : DEFAULT,
      options: named ? rest : process.argv.slice(2),
    });
}
