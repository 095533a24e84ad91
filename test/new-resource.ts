// The guide to a new resource, to its end: installs a clean clone and runs every command of CONTRIBUTING.md in it, the whole suite
// included. Takes longer than the suite: `npm run long -- new-resource`.
import { test } from 'node:test';
import { cloneHere, documentedCommands, run } from './support/new-resource.ts';

test('every command of the guide succeeds in a clean clone', async (t) => {
  const folder = await cloneHere(t);
  for (const command of ['npm ci', ...documentedCommands()]) {
    await run(t, command, folder);
    t.diagnostic(command);
  }
});
