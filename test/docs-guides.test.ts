// The code of every guide runs and prints what the guide says. Each guide has a separate account, and all run at the same time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { anchorOf } from '../src/apps/docs/markdown.ts';
import { signatureHeaders } from '../src/resources/webhooks/sign.ts';
import { type GuideCode, masked, readGuideCode } from './support/guide-code.ts';
import { CLI, ROOT } from './support/paths.ts';
import { type Env, scratch, start } from './support/process.ts';
import { openAccount, startService } from './support/service.ts';

const TYPESCRIPT = [process.execPath, '--conditions=earmark-source', '--input-type=module-typescript', '-e'];
const PROGRAMS: Record<string, string[]> = { sh: ['bash', '-c'], ts: TYPESCRIPT, python: ['python3', '-c'] };

const hasPython = spawnSync('python3', ['--version']).status === 0;
const guides = readGuideCode();
const shared = await startService({ after });

for (const guide of guides) {
  test(`the code of the guide ${guide.name} runs as printed`, async (t) => {
    const env = { ...(await accountOf()), BACKUPS: scratch(t), KEYS: scratch(t) };
    let printed = '';
    for (const [language, program] of Object.entries(PROGRAMS)) {
      const code = programOf(guide, language);
      if (code === '') continue;
      if (language === 'python' && !hasPython) {
        t.diagnostic('python3 is not installed: the Python of this guide was not run');
        continue;
      }
      const run = await start(t, [...program, code], env).ended;
      assert.deepEqual([run.code, run.stderr], [0, ''], run.stdout);
      printed += run.stdout;
    }
    const missing = guide.printed.filter((line) => !masked(printed).includes(line));
    assert.deepEqual(missing, [], printed);
  });
}

test('the Python of the guide webhooks-and-feed accepts what the service signs', { skip: !hasPython }, () => {
  const code = programOf(guides.find(({ name }) => name === 'webhooks-and-feed')!, 'python');
  for (const secret of ['a secret that you choose', 'whsec_YSBrZXkgb2YgMjQgYnl0ZXMgYXQgbGVhc3Q=']) {
    const headers = signatureHeaders({ secrets: [secret], privateKeys: [] }, { id: '1', body: '{}', sent: new Date() });
    const sent = JSON.stringify(Object.fromEntries(headers.map(({ name, value }) => [name, value])));
    const check = `${code}\nprint(is_genuine(${sent}, b"{}", ${JSON.stringify(secret)}))`;
    const { stdout } = spawnSync('python3', ['-c', check], { encoding: 'utf8' });
    assert.match(stdout, /True\n$/, secret);
  }
});

test('every link of a guide leads to a guide, a page for operators, a heading or a page', async () => {
  const headingsOf = (file: string) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
  const broken: string[] = [];
  for (const guide of guides) {
    for (const [, target = ''] of guide.text.matchAll(/\]\(([^)]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const file = join('docs/guides', path);
      const isKnown = path.startsWith('/docs')
        ? (await shared.send('GET', target)).status === 200
        : path.startsWith('https:') ||
          (existsSync(join(ROOT, file)) && (anchor === undefined || headingsOf(file).includes(anchor)));
      if (!isKnown) broken.push(`${guide.name}: ${target}`);
    }
    for (const [, file = ''] of guide.text.matchAll(/`((?:examples|operations)\/[^`]+)`/g))
      if (!existsSync(join(ROOT, file))) broken.push(`${guide.name}: ${file}`);
  }
  assert.deepEqual(broken, []);
});

/** Commands run without npm, which takes longer to start than they do; the test of README.md uses it. */
const SHELL = `set -o pipefail
npx() { shift; node ${CLI} "$@"; }
`;

/** The blocks of one language as one program. */
function programOf({ blocks }: GuideCode, language: string): string {
  const code = blocks.filter((block) => block.language === language).map((block) => block.code);
  return code.length === 0 ? '' : `${language === 'sh' ? SHELL : ''}${code.join('\n')}`;
}

/** The variables of `earmark sandbox env`, for a new account like that of a sandbox. */
async function accountOf(): Promise<Env> {
  const { create, newCustomer, client } = await openAccount(shared);
  const customer = await newCustomer({ available: '1250.00' });
  const label = (name: string, value: string) => create(`${customer}/labels`, { name, amount: { value, currency: 'USD' } });
  return {
    ...{ BASE_URL: shared.url, CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret, TOKEN: client.token },
    ...{
      ACCOUNT: `${shared.url}/accounts/${client.account_id}`,
      CUSTOMER: customer,
      FROM: await label('Operating', '250.00'),
      TO: await label('Tax', '0'),
    },
    ...{ DATABASE_URL: shared.databaseUrl, DATA_DIR: shared.dataDir, MODE: 'sandbox' },
  };
}
