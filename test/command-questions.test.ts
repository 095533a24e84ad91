// Commands that stop something at once, or that cannot be undone, ask first.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { sections } from '../src/apps/cli/all.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { CLI } from './support/paths.ts';
import { assertOneLine, onTerminal, runCli, runCliJson, scratch, start } from './support/process.ts';

type Shown = { client_id: string; disabled?: boolean };

/** The commands that ask, each with arguments with which it does; a new command that stops or ends something belongs here. */
const ASK: Record<string, string[]> = {
  'application rotate': ['ID', '--overlap-hours', '0'],
  'application disable': ['ID'],
  'operator disable': ['Ada'],
  'customer erase': ['ID'],
  'documents erase': ['ID'],
  'schedules pause': ['ID'],
  'master-list remove': ['ID'],
  'keys rotate': [],
  'application secure': ['ID', '--secret', 'refused'],
  restore: ['DIR', '--fork-log'],
  'log continue': ['--fork-log'],
  'repair events': [],
  'cluster drain': ['db-3:5432'],
};
/** The same commands, with arguments with which they do not. */
const DO_NOT: Record<string, string[]> = {
  'application rotate': ['ID'],
  'application secure': ['ID', '--secret', 'accepted'],
  restore: ['DIR'],
  'documents erase': [],
  'repair events': ['--plan'],
  'log continue': ['--checkpoint', 'missing'],
};

const file = { after };
const env = { DATA_DIR: join(scratch(file), 'data') };
const server = await startEmbedded({ dataDir: env.DATA_DIR });
after(server.stop);
let client_id = '';

/** Runs `application disable` on a terminal on which somebody types. */
async function disableTyping(t: TestContext, typed: string) {
  const line = [process.execPath, CLI, 'application', 'disable', client_id].join(' ');
  const words = ['sh', '-c', `printf '${typed}' | "$@"`, 'sh', ...onTerminal(line)];
  const ended = await start(t, words, env).ended;
  const { disabled = false } = await runCliJson<Shown>(t, ['application', 'show', client_id], env);
  return { ...ended, disabled };
}

test.before(async () => {
  const run = async (args: string[]) => JSON.parse((await runCli(file, [...args, '--json'], env)).stdout);
  await run(['migrate']);
  const { account_id } = await run(['account', 'create', 'One']);
  ({ client_id } = await run(['application', 'create', '--account', account_id, '--name', 'n', '--scope', 'read']));
});

test('these commands take --yes', () => {
  const names = sections.flatMap(({ commands }) => commands.filter(({ options }) => 'yes' in options).map(({ name }) => name));
  assert.deepEqual(names.sort(), Object.keys(ASK).sort());
});

test('without a terminal they refuse and name --yes', { concurrency: 3 }, async (t) => {
  const asked = Object.entries(ASK).map(([name, args]) =>
    t.test(name, async (t) => {
      const refused = await runCli(t, [...name.split(' '), ...args], env);
      assertOneLine(refused, new RegExp(`^earmark ${name} asks before it runs, and there is no terminal .* Add --yes `), 2);
    }),
  );
  const unasked = Object.entries(DO_NOT).map(([name, args]) =>
    t.test(`${name} ${args.join(' ')}`, async (t) => {
      assert.doesNotMatch((await runCli(t, [...name.split(' '), ...args], env)).stderr, /--yes/);
    }),
  );
  await Promise.all([...asked, ...unasked]);
});

test('on a terminal only a yes runs the command', async (t) => {
  for (const typed of ['n\\n', '\\n', 'disable\\n', '']) {
    const { code, stdout, disabled } = await disableTyping(t, typed);
    assert.match(
      stdout,
      new RegExp(`Disable the application ${client_id}\\? All its calls are refused from now on\\. \\[y/N\\] `),
    );
    assert.match(stdout, /Nothing was changed\./);
    assert.deepEqual([code, disabled], [1, false], typed);
  }
  const { code, stdout, disabled } = await disableTyping(t, 'y\\n');
  assert.deepEqual([code, disabled], [0, true], stdout);
});

test('--yes asks nothing', async (t) => {
  const { stderr, code } = await runCli(t, ['application', 'disable', client_id, '--yes'], env);
  assert.deepEqual([code, stderr], [0, '']);
});
