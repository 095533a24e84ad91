// `npm run long -- generated-client`: clients of four generators call a live service. Exit code 3: a tool is missing, and its clients did not
// run.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const TIMEOUT_MS = 900_000;

type Need = { name: string; command: string; args: string[] };

const python = process.env.PYTHON || 'python3';
const codegen = process.env.OAPI_CODEGEN || 'oapi-codegen';
const modules = (...names: string[]): Need[] =>
  names.map((name) => ({ name: `the module ${name} of ${python}`, command: python, args: ['-c', `import ${name}`] }));

/** The test files, and the tools that each needs. */
const CLIENTS: [file: string, needs: Need[]][] = [
  ['openapi-python-client.ts', modules('openapi_python_client', 'httpx', 'attrs')],
  [
    'openapi-generator.ts',
    [
      ...modules('openapi_generator_cli', 'pydantic', 'urllib3', 'dateutil'),
      { name: 'java', command: 'java', args: ['-version'] },
    ],
  ],
  [
    'oapi-codegen.ts',
    [
      { name: 'go', command: 'go', args: ['version'] },
      { name: codegen, command: codegen, args: ['-version'] },
    ],
  ],
];

const INSTALL = `Install the generators, then run this again:

  python3 -m venv /tmp/generators
  /tmp/generators/bin/pip install openapi-python-client openapi-generator-cli pydantic python-dateutil urllib3
  GOBIN=/tmp/generators/bin go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest
  PYTHON=/tmp/generators/bin/python OAPI_CODEGEN=/tmp/generators/bin/oapi-codegen npm run long -- generated-client

openapi-generator needs Java 11 or later, oapi-codegen Go.
`;

const found = CLIENTS.map(([file, needs]) => ({
  file,
  missing: needs.filter(({ command, args }) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0),
}));
const ready = found.filter(({ missing }) => missing.length === 0).map(({ file }) => `test/generated-client/${file}`);
const absent = found.filter(({ missing }) => missing.length > 0);

if (ready.length > 0) {
  // One after another: each compiles a client.
  const options = ['--test', '--test-concurrency=1', `--test-timeout=${TIMEOUT_MS}`, '--test-global-setup=test/global-setup.ts'];
  const env = { ...process.env, PYTHON: python, OAPI_CODEGEN: codegen };
  const { status } = spawnSync(process.execPath, [...options, ...ready], { cwd: ROOT, env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
if (absent.length > 0) {
  const lines = absent.map(({ file, missing }) => `NOT RUN: ${file} needs ${missing.map(({ name }) => name).join(', ')}.\n`);
  process.stderr.write(`${lines.join('')}${INSTALL}`);
  process.exitCode ||= MISSING;
}
