// `npm run long -- clients`: OAuth clients of four languages get tokens with a key and call. Exit code 3: a tool is missing, and its clients
// did not run.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const TIMEOUT_MS = 600_000;

const python = process.env.PYTHON || 'python3';

/** The clients of each language, as the names of their tests, and what they need. */
const LANGUAGES: { tests: string; command: string; args: string[] }[] = [
  { tests: 'npm', command: process.execPath, args: ['--version'] },
  { tests: 'PyPI', command: python, args: ['-c', 'import authlib, requests'] },
  { tests: 'Go', command: 'go', args: ['version'] },
  { tests: 'Maven', command: 'mvn', args: ['--version'] },
];

const INSTALL = `Install what is missing, then run this again:

  python3 -m venv /tmp/clients
  /tmp/clients/bin/pip install authlib requests
  PYTHON=/tmp/clients/bin/python npm run long -- clients

The others need Go, and Maven with Java 17 or later. Their libraries come from the registries of their languages.
`;

const isThere = ({ command, args }: (typeof LANGUAGES)[number]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const absent = LANGUAGES.filter((language) => !isThere(language));
const patterns = LANGUAGES.filter((language) => !absent.includes(language)).map(({ tests }) => `--test-name-pattern=^${tests}: `);
const options = [
  ...['--test', `--test-timeout=${TIMEOUT_MS}`, '--test-global-setup=test/global-setup.ts'],
  ...[...patterns, 'test/clients/clients.ts'],
];
const { status } = spawnSync(process.execPath, options, { cwd: ROOT, env: { ...process.env, PYTHON: python }, stdio: 'inherit' });
process.exitCode = status ?? 1;
if (absent.length > 0) {
  const lines = absent.map(({ tests, command }) => `NOT RUN: the clients of ${tests} need ${command}.\n`);
  process.stderr.write(`${lines.join('')}${INSTALL}`);
  process.exitCode ||= MISSING;
}
