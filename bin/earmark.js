#!/usr/bin/env node
// The `earmark` command as npm links it: what was compiled for the package or, in a clone, the source; an older Node.js is told in one line.
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const NODE_MAJOR = Number.parseInt(/[0-9]+/.exec(engines.node)[0], 10);
const source = new URL('../src/apps/cli/cli.ts', import.meta.url);

if (Number.parseInt(process.version.slice(1), 10) < NODE_MAJOR) {
  process.stderr.write(`Earmark needs Node.js ${NODE_MAJOR} or newer, and this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  await import(existsSync(source) ? source.href : new URL('../dist/src/apps/cli/cli.js', import.meta.url).href);
}
