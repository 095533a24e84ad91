// The `earmark` command in a shell: completion, colours and progress bars.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDatabase } from './support/database.ts';
import { CLI } from './support/paths.ts';
import { type Ended, type Env, onTerminal, runCli, runCliJson, scratch, start } from './support/process.ts';

const ESCAPE = '\u001b[';
const CLEAR = `${ESCAPE}K`;
const BAR = /[█░]{24}/;

/** Runs `earmark` on a pseudo-terminal. */
function runOnTerminal(t: TestContext, args: string[], env: Env): Promise<Ended> {
  return start(t, onTerminal([process.execPath, CLI, ...args].join(' ')), { TERM: 'xterm-256color', ...env }).ended;
}

/** What the shells offer after these words; the last one is incomplete. */
const CASES: [line: string[], wanted: string[]][] = [
  [['ser'], ['serve']],
  [
    ['application', ''],
    ['create', 'list', 'show', 'rotate', 'secure', 'disable', 'enable'],
  ],
  [['application', 'ro'], ['rotate']],
  [
    ['application', 'create', '--'],
    ['--account', '--name', '--scope', '--jwks', '--jwks-uri', '--trust-issuer', '--subject', '--require', '--json', '--help'],
  ],
  [
    ['application', 'create', '--scope', ''],
    ['read', 'write', 'funds', 'review'],
  ],
  [
    ['review', 'reject', 'ID', '--reason', 'ScanN'],
    ['ScanNotUploaded', 'ScanNotReadable', 'ScanNameMismatch'],
  ],
  [['help', 'conf'], ['config']],
  [
    ['backup', 'record', '--'],
    ['--drill', '--json', '--help'],
  ],
  [
    ['backup', 'DIR', '--'],
    ['--without-key', '--encrypt', '--json', '--help'],
  ],
  [['backup', 'rec'], ['record']],
];

test('completes commands, verbs, options and values in bash', async (t) => {
  const folder = scratch(t);
  const { code, stdout } = await runCli(t, ['completion', 'bash'], {});
  assert.equal(code, 0);
  const cases: typeof CASES = [
    ...CASES,
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--json', '--help'],
    ],
    // the shell completes files itself
    [['listen', '--credentials', ''], []],
  ];
  const asked = cases.map(([line]) => {
    const words = ['earmark', ...line].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _earmark; echo "\${COMPREPLY[@]}"`;
  });
  writeFileSync(join(folder, 'asked.sh'), `${stdout}\n${asked.join('\n')}\n`);
  const bash = await start(t, ['bash', '--norc', join(folder, 'asked.sh')], {}).ended;
  assert.equal(bash.stderr, '');
  const answers = bash.stdout.trimEnd().split('\n');
  for (const [index, [line, wanted]] of cases.entries()) {
    assert.deepEqual((answers[index] ?? '').split(' ').filter(Boolean).sort(), [...wanted].sort(), line.join(' '));
  }
});

test('completes commands, verbs, options, values and files in fish', async (t) => {
  const hasFish = await start(t, ['sh', '-c', 'command -v fish'], {}).ended;
  if (hasFish.code !== 0) return t.diagnostic('fish is not installed: the next test checks the script without it');
  const folder = scratch(t);
  const { stdout } = await runCli(t, ['completion', 'fish'], {});
  writeFileSync(join(folder, 'passport.jpg'), '');
  const cases: typeof CASES = [
    ...CASES,
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['listen', '--credentials', `${folder}/pass`], [`${folder}/passport.jpg`]],
    [['documents', 'read', `${folder}/pass`], [`${folder}/passport.jpg`]],
    [['account', 'create', ''], []],
  ];
  const asked = cases.map(([line]) => `complete -C 'earmark ${line.join(' ')}'\necho ---`);
  writeFileSync(join(folder, 'asked.fish'), `${stdout}\n${asked.join('\n')}\n`);
  const fish = await start(t, ['fish', '--no-config', join(folder, 'asked.fish')], { HOME: folder }).ended;
  assert.equal(fish.stderr, '');
  const answers = fish.stdout.split('---\n');
  for (const [index, [line, wanted]] of cases.entries()) {
    const offered = [...answers[index]!.matchAll(/^([^\t\n]+)(?:\t.*)?$/gm)].map(([, word]) => word!);
    assert.deepEqual(offered.sort(), [...wanted].sort(), line.join(' '));
  }
});

test('completes every command and option in each shell', async (t) => {
  const [bash, zsh, fish] = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => runCli(t, ['completion', shell], {})));
  type Declared = { name: string; options: object; words: { values?: string[] }[] };
  const { commands } = await runCliJson<{ commands: Declared[] }>(t, ['help'], {});
  assert.ok(commands.length > 10);
  for (const { name, options, words } of commands) {
    const completion = new RegExp(`^ +'${name}'\\*\\) next=(.*) ;;$`, 'm');
    const values = words.flatMap(({ values = [] }) => values);
    const wanted = [...Object.keys(options).map((option) => `--${option}`), ...values];
    for (const script of [bash!, zsh!]) {
      const offered = completion.exec(script.stdout)?.[1] ?? '';
      for (const word of wanted) assert.ok(offered.includes(word), `${name} ${word}`);
    }
    const inside = new RegExp(`^complete -c earmark -n '__earmark_in ${name}[';]`);
    const lines = fish!.stdout.split('\n').filter((line) => inside.test(line));
    for (const word of [...Object.keys(options).map((option) => `-l ${option}`), ...values])
      assert.ok(
        lines.some((line) => line.includes(word)),
        `${name} ${word}`,
      );
  }
  assert.match(fish!.stdout, /^complete -c earmark -n '__earmark_in backup; and not __earmark_in backup record' -l encrypt /m);
});

test('a command ends silently when nobody reads its output any more', async (t) => {
  const databaseUrl = await makeDatabase(t);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(scratch(t), 'data') };
  await runCli(t, ['migrate'], env);
  for (const line of ['verify --watch --every 1', 'verify --watch --every 1 --json']) {
    const code = join(scratch(t), 'code');
    const piped = `("$0" "$1" ${line}; echo $? > ${code}) | head -1`;
    const { stdout, stderr } = await start(t, ['sh', '-c', piped, process.execPath, CLI], env).ended;
    assert.deepEqual([stdout.trimEnd().split('\n').length, stderr], [1, '']);
    assert.equal(readFileSync(code, 'utf8'), '141\n');
  }
});

test('prints colours and progress bars on terminals only, and honours NO_COLOR', async (t) => {
  const databaseUrl = await makeDatabase(t);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(scratch(t), 'data') };
  const [seen, plain, piped, json] = await Promise.all([
    runOnTerminal(t, ['verify', '--full'], env),
    runOnTerminal(t, ['verify', '--full'], { ...env, NO_COLOR: '1' }),
    runCli(t, ['verify', '--full'], env),
    runOnTerminal(t, ['verify', '--full', '--json'], env),
  ]);
  assert.ok(seen.stdout.includes(`${ESCAPE}32mholds ${ESCAPE}39m  conservation:`), seen.stdout);
  assert.match(seen.stdout, new RegExp(`checking the ledger  ${BAR.source} 100 %`));
  assert.ok(seen.stdout.lastIndexOf(CLEAR) < seen.stdout.indexOf('holds'), 'the bar is cleared before anything is printed');
  assert.ok(!plain.stdout.includes(`${ESCAPE}3`), plain.stdout);
  assert.match(plain.stdout, /holds {3}conservation:/);
  assert.deepEqual([piped.code, piped.stderr], [0, '']);
  assert.ok(!piped.stdout.includes(ESCAPE), piped.stdout);
  assert.doesNotMatch(piped.stdout, BAR);
  assert.deepEqual(JSON.parse(json.stdout.slice(json.stdout.lastIndexOf(CLEAR) + CLEAR.length)).violations, []);
});
