// `npm run test:generated-client`: a client that openapi-python-client generates of the document calls a live service. Exit code 3: a tool is missing.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const TIMEOUT_MS = 300_000;
const TOOLS = ['openapi_python_client', 'httpx', 'attrs'];

const python = process.env.PYTHON || 'python3';
const missing = TOOLS.filter((tool) => spawnSync(python, ['-c', `import ${tool}`], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  process.stderr.write(`NOT RUN: ${python} has no ${missing.join(', ')}. Install the generator, then run this again:

  python3 -m venv /tmp/generator
  /tmp/generator/bin/pip install openapi-python-client
  PYTHON=/tmp/generator/bin/python npm run test:generated-client
`);
  process.exit(MISSING);
}
const test = [
  '--test',
  `--test-timeout=${TIMEOUT_MS}`,
  '--test-global-setup=test/global-setup.ts',
  'test/generated-client/python.ts',
];
const { status } = spawnSync(process.execPath, test, { cwd: ROOT, env: { ...process.env, PYTHON: python }, stdio: 'inherit' });
process.exitCode = status ?? 1;
