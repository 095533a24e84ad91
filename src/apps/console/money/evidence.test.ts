// The page of a reallocation whose request was signed: who signed it with which key, and whether signature and reallocation still fit.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { securedClient } from '../../../../test/support/client-keys.ts';
import { idOf } from '../../../../test/support/http.ts';
import { openClient } from '../../../../test/support/oauth.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { newSigner, signed } from '../../../../test/support/signed-requests.ts';

const shared = await startService({ after });
const account = await openClient(shared);
const { from, to } = await account.newLabels();
const signer = newSigner('<b>pay</b>');
const application = await securedClient(account, { keys: [signer.jwk] });
const token = (await account.tokenOf(application))!;

/** The id of a signed reallocation. */
async function askSigned(): Promise<string> {
  const body = JSON.stringify({ ...account.reallocation(from, to, '2.00'), reference: '<i>rent</i>' });
  const params = { nonce: randomUUID() };
  const headers = await signed({ by: signer, url: `${account.url}/label-reallocations`, body, params });
  const answer = await account.call('POST', '/label-reallocations', { token, raw: body, headers });
  assert.equal(answer.status, 201, answer.text);
  return idOf(answer.headers.location!);
}

const textOf = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('it names the application, the key, the algorithm and the time, and verifies the signature', async () => {
  const { load } = await openSession(shared, 'viewer');
  const page = (await load(`/console/money/transfers/${await askSigned()}`)).text;
  const text = textOf(page);
  assert.match(text, /Signed request Verified now yes Signed by Test With the key &lt;b>pay&lt;\/b> [\w-]{43} Algorithm/);
  assert.match(text, /Algorithm ecdsa-p256-sha256 Signed .* What was signed &quot;@method&quot;: POST/);
  assert.ok(!page.includes('<b>pay') && !page.includes('<i>rent'), 'texts are no markup');
  assert.ok(!page.includes(`/console/applications/${application.client_id}`), 'a viewer may not open applications');
  const admin = await openSession(shared, 'admin');
  const seen = (await admin.load(`/console/money/transfers/${await askSigned()}`)).text;
  assert.ok(seen.includes(`href="/console/applications/${application.client_id}"`));
});

test('it says what does not fit any more', async () => {
  const { load } = await openSession(shared, 'viewer');
  const changes: [change: string, why: RegExp][] = [
    [`update transfer set reference = 'other' where id = `, /Verified now no reference is not as it was signed/],
    [
      `update transfer_evidence set evidence = jsonb_set(evidence, '{signature}', '"AAAA"') where transfer_id = `,
      /Verified now no the signature does not fit its key and what is signed/,
    ],
    [
      `update transfer_evidence set evidence = jsonb_set(evidence, '{publicKey,y}', evidence #> '{publicKey,x}') where transfer_id = `,
      /Verified now no the key of the signature is another one/,
    ],
    [
      `update transfer_evidence set evidence = evidence - 'signature' where transfer_id = `,
      /Verified now no the signed request cannot be read/,
    ],
  ];
  for (const [change, why] of changes) {
    const id = await askSigned();
    const statement = `${change}'${id}'`;
    await shared.sql(Object.assign([statement], { raw: [statement] }) as TemplateStringsArray);
    assert.match(textOf((await load(`/console/money/transfers/${id}`)).text), why);
  }
});

test('a reallocation without a signature has no such part', async () => {
  const { load } = await openSession(shared, 'viewer');
  const made = await account.create('/label-reallocations', account.reallocation(from, to, '1.00'));
  assert.ok(!(await load(`/console/money/transfers/${idOf(made)}`)).text.includes('Signed request'));
});
