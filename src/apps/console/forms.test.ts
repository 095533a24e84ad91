// Forms of the console: what a page shows once, what is asked first, and what is entered again after a refusal or a new sign-in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { idOf } from '../../../test/support/http.ts';
import { contentType, filePart, multipart } from '../../../test/support/multipart.ts';
import { cookieIn, newLink, openSession } from '../../../test/support/operators.ts';
import { startService } from '../../../test/support/service.ts';

const shared = await startService({ after });
const OWN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
const UNASKED = /\/(disable|pause|resume|remove-passkey|suspend|deactivate|secret|keys\/remove)$/;

type Session = Awaited<ReturnType<typeof openSession>>;

/** The forms of a page that change something, with the fields as they are shown. */
function formsOf(page: string, text: string) {
  return [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action, inner]) => {
    const fields = [...inner!.matchAll(/<(?:input|button)[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g)];
    return { page, action: action!, inner: inner!, fields: fields.map(([, name, value]): [string, string] => [name!, value!]) };
  });
}

/** Every form that an administrator finds by following links, one for each kind of address. */
async function crawl({ load }: Session, start: string[]) {
  const forms = new Map<string, ReturnType<typeof formsOf>[number]>();
  const seen = new Set<string>();
  const kindOf = (path: string) => path.replace(/[0-9a-f-]{36}/g, ':id').split('?')[0]!;
  const queue = [...start];
  for (const path of queue) {
    const { text, headers } = await load(path);
    if (!String(headers['content-type']).startsWith('text/html')) continue;
    for (const form of formsOf(path, text)) forms.set(`${kindOf(path)} ${kindOf(form.action)}`, form);
    for (const [, href] of text.matchAll(/href="(\/console[^"]*)"/g)) {
      if (seen.has(kindOf(href!))) continue;
      seen.add(kindOf(href!));
      queue.push(href!.replaceAll('&amp;', '&'));
    }
  }
  return [...forms.values()];
}

test('no form answers with a page that repeats it when it is loaded again, and what stops something is asked first', async (t) => {
  const own = await startService(t);
  const admin = await openSession(own, 'admin');
  const other = await openSession(own, 'viewer');
  const { from } = await own.newLabels();
  await own.create('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a secret of the test' });
  await own.sql`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created)
    values ('AAAA', ${admin.operator.id}, 'key', 0, '{}', now())`;
  const forms = await crawl(admin, [
    ...['/console', '/console/account', `/console/people/${other.operator.id}`, `/console/money?search=${idOf(from)}`],
    `/console/applications/${own.client.client_id}/new-secret?overlap=0`,
  ]);
  const actions = forms.map(({ action }) => action.replace(/[0-9a-f-]{36}/g, ':id'));
  for (const known of ['/console/applications/new', '/console/applications/:id/disable', '/console/applications/:id/secret'])
    assert.ok(actions.includes(known), `${known} of ${actions.join(' ')}`);
  for (const known of ['/console/people/:id/link', '/console/webhooks/:id/pause', '/console/people/:id/disable'])
    assert.ok(actions.includes(known), `${known} of ${actions.join(' ')}`);
  for (const { page, action, inner } of forms) {
    const isQuestion = page.split('?')[0] === action || /\/new-(secret|link)/.test(page);
    const isTicked = inner.includes('required');
    if (UNASKED.test(action) || inner.includes('button-danger')) assert.ok(isQuestion || isTicked, `${action} on ${page}`);
  }
  const last = (action: string) => Number(/sign-out|roles|disable|reset|clock/.test(action));
  for (const { page, action, fields } of forms.toSorted((one, other) => last(one.action) - last(other.action))) {
    const { status, text } = await admin.submit(action, fields, { referer: own.url + page });
    assert.ok(status === 303 || status >= 400, `${action} of ${page}: ${status} ${text.slice(0, 200)}`);
  }
});

test('a secret is shown once, to the session that made it, and is stored sealed until then', async () => {
  const [operator, thief] = [await openSession(shared, 'operator', 'finance'), await openSession(shared, 'operator')];
  const { account_id: account } = await shared.newClient();
  const made = await operator.submit('/console/applications/new', { name: 'Once', account, scope: 'read' });
  const page = made.headers.location!;
  assert.match(page, /\/secret\?kept=[\w-]{22}$/);
  assert.match((await thief.load(page)).text, /It was shown once/, 'the address alone is worth nothing');
  const [stored] = await shared.sql<{ row: string }>`select string_agg(encode(sealed, 'escape'), '') as row from operator_kept`;
  assert.ok(stored!.row.length > 100 && !stored!.row.includes('secret'));
  const { text } = await operator.load(page);
  assert.match(text, /Client secret/);
  assert.match(text, /data-copy/, 'with a button that copies it');
  assert.match((await operator.load(page)).text, /It was shown once, and is not shown again/);
  const late = (await operator.submit('/console/applications/new', { name: 'Late', account, scope: 'read' })).headers.location!;
  await shared.sql`update operator_kept set expires = now()`;
  assert.match((await operator.load(late)).text, /It was shown once/);
});

/** Ends the session of a person, and returns a function that signs them in again with the cookies of the browser. */
async function endSession({ operator, cookie }: Session) {
  await shared.sql`delete from operator_session where operator_id = ${operator.id}`;
  return async (cookies: string) => {
    const headers = { ...OWN, cookie: `${cookie}; ${cookies}` };
    const { status, headers: answer } = await shared.send('POST', await newLink(shared, operator.id), { headers });
    assert.equal(status, 303);
    const fresh = cookieIn(answer['set-cookie']);
    return {
      location: answer.location!,
      load: (path: string) => shared.send('GET', path, { headers: { ...OWN, cookie: fresh } }),
    };
  };
}

const cookiesIn = (header: string | string[] | undefined) =>
  [header ?? []]
    .flat()
    .map((line) => cookieIn(line))
    .join('; ');

test('a form that is sent after the session has ended is there again after the sign-in, and is not sent by itself', async () => {
  const person = await openSession(shared, 'reviewer');
  const customer = await shared.newCustomer();
  const page = `/console/customers/${idOf(customer)}/suspend`;
  const signInAgain = await endSession(person);
  const note = 'Asked by the bank, "<b>today</b>"';
  const sent = await person.submit(page, { reason: note }, { referer: `${shared.url}${page}?done=x` });
  assert.equal(sent.status, 303);
  assert.ok(!sent.headers.location!.includes('bank'), 'nothing that was entered is in an address');
  const signIn = await shared.send('GET', sent.headers.location!, { headers: OWN });
  assert.match(signIn.text, /the form is there again/);
  const [stored] = await shared.sql<{ row: string }>`select string_agg(encode(sealed, 'escape'), '') as row from operator_kept`;
  assert.ok(!stored!.row.includes('bank'), 'it is stored sealed');
  const { location, load } = await signInAgain(cookiesIn(sent.headers['set-cookie']));
  assert.ok(location.startsWith(`${page}?kept=`), location);
  const { text } = await load(location);
  assert.match(text, /Your session had ended, so nothing was sent/);
  assert.match(text, />Asked by the bank, (&quot;|")&lt;b>today&lt;\/b>\1<\/textarea>/, 'the reason is filled in');
  assert.equal((await shared.get(customer)).status, 'verified', 'and nothing was done');
  assert.ok(!(await load(location)).text.includes('Asked by the bank'), 'once');
});

test('a form with files is not read after the session has ended, and the sign-in says so', async () => {
  const person = await openSession(shared, 'finance');
  await endSession(person);
  const sent = await shared.send('POST', '/console/close', {
    headers: { ...OWN, cookie: person.cookie, 'content-type': contentType() },
    raw: multipart([filePart(Buffer.from('a bank file'))]),
  });
  assert.equal(sent.status, 303);
  const signIn = await shared.send('GET', sent.headers.location!, { headers: OWN });
  assert.match(signIn.text, /nothing was sent\. Sign in, choose the files again and fill in the form again/);
  assert.doesNotMatch(signIn.text, /the form is there again/);
});

test('a form that was kept is for its browser only, and leads to no other site', async () => {
  const person = await openSession(shared, 'reviewer');
  const customer = await shared.newCustomer();
  const page = `/console/customers/${idOf(customer)}/suspend`;
  const signInAgain = await endSession(person);
  for (const referer of ['https://evil.example/console', 'http://127.0.0.1//evil.example', '']) {
    const sent = await person.submit(page, { reason: 'x' }, { referer });
    assert.equal(new URL(sent.headers.location!, shared.url).searchParams.get('to'), '/console', referer);
  }
  const sent = await person.submit(page, { reason: 'Only here' }, { referer: shared.url + page });
  assert.equal((await signInAgain('')).location, '/console', 'another browser gets nothing');
  const cookies = cookiesIn(sent.headers['set-cookie']).replace(/\.[\w-]+$/, `.${'A'.repeat(22)}`);
  assert.equal((await signInAgain(cookies)).location, '/console', 'a guessed id gets nothing');
});

test('a sign-in by link leads to the page that was asked for', async () => {
  const person = await openSession(shared, 'reviewer');
  const signInAgain = await endSession(person);
  const wanted = '/console/customers?search=tea&status=verified';
  const asked = await person.load(wanted);
  assert.equal(asked.status, 303);
  const signIn = await shared.send('GET', asked.headers.location!, { headers: OWN });
  assert.equal((await signInAgain(cookiesIn(signIn.headers['set-cookie']))).location, wanted);
  for (const hostile of [
    '//evil.example',
    '/console/../evil',
    '/console/sign-in',
    '/\\evil.example',
    'https://evil.example/console',
  ]) {
    const page = await shared.send('GET', `/console/sign-in?to=${encodeURIComponent(hostile)}`, { headers: OWN });
    const { location } = await (await endSession(person))(cookiesIn(page.headers['set-cookie']));
    assert.equal(location, '/console', hostile);
  }
});

test('the notice of what was done drops its parameter from the address, so that it is not repeated', async () => {
  const { load } = await openSession(shared, 'admin');
  const scriptIn = (text: string) => /src="(\/assets\/[^"]+\/done\.js)"/.exec(text)?.[1];
  const path = '/console/sandbox?account=1';
  const [after, again] = [await load(`${path}&done=clock`), await load(path)];
  assert.match(after.text, /The clock is advanced/);
  assert.doesNotMatch(again.text, /The clock is advanced/);
  assert.equal(scriptIn(again.text), undefined);
  const script = await shared.send('GET', scriptIn(after.text)!);
  const addresses: string[] = [];
  const history = { state: null, replaceState: (_state: unknown, _title: string, url: URL) => addresses.push(url.href) };
  runInNewContext(script.text, { URL, history, location: { href: `${shared.url}${path}&done=clock#times` } });
  assert.deepEqual(addresses, [`${shared.url}${path}#times`]);
});

test('a refused form keeps what was entered', async () => {
  const { submit } = await openSession(shared, 'operator', 'finance');
  const { account_id: account } = await shared.newClient();
  const refused = await submit('/console/applications/new', { name: 'Without a scope', account });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Choose at least one scope/);
  assert.match(refused.text, /value="Without a scope"/);
  assert.doesNotMatch(refused.text, /value="read" checked/, 'the tick that was removed is not there again');
});
