// A service with owners and customers that need documents.
import assert from 'node:assert/strict';
import type { Sql } from '../../src/platform/db/sql.ts';
import { customerForm, type Fields, ownerForm } from './data.ts';
import { allEvents } from './events.ts';
import type { Answer, Body } from './http.ts';
import { contentType, filePart, type MultipartOptions, multipart, type Part, typePart } from './multipart.ts';
import { picture } from './pictures.ts';
import type { Call } from './platform.ts';
import { startService, type TestService } from './service.ts';
import type { TestScope } from './test-scope.ts';

type Upload = { documentType?: string; file?: Buffer; parts?: Part[]; key?: string; token?: string } & MultipartOptions;

/** Starts a service with functions that create owners and customers and upload documents. */
export async function openUploads(t: TestScope, settings: Parameters<typeof startService>[1] = {}) {
  // Keeps the scripted checker from deciding, and applies decisions of the console at once, unless a test configures it.
  const env = { SANDBOX_REVIEW_DELAY_MS: '86400000', REVIEW_UNDO_SECONDS: '0', ...settings.env };
  const service = await startService(t, { ...settings, env });
  const people = openPeople(service);
  return {
    ...service,
    ...people,
    business: await people.newCustomer(),
    ...openDocuments(service.call),
    rowCounts: () => countRows(service.sql),
  };
}

/** An account of a service, with the same functions. */
export function withDocuments(account: TestService) {
  return { ...account, ...openPeople(account), ...openDocuments(account.call) };
}

function openPeople({ create }: Pick<TestService, 'create'>) {
  const newCustomer = (form: Fields = {}, token?: string) =>
    create('/customers', { ...customerForm(), ...form }, token === undefined ? {} : { token });
  /** Creates an owner that needs a document, for a new business unless one is given. */
  async function newOwner(form: Fields = {}, { customer, token }: { customer?: string; token?: string } = {}): Promise<string> {
    const business = customer ?? (await newCustomer({}, token));
    const body = { ...ownerForm, firstName: 'document', ...form };
    return create(`${business}/beneficial-owners`, body, token === undefined ? {} : { token });
  }
  return { newCustomer, newOwner };
}

function openDocuments(call: Call) {
  async function submit(subject: string, upload: Upload = {}): Promise<Answer> {
    const { documentType = 'passport', file = await picture(), key, token } = upload;
    const { parts = [typePart(documentType), filePart(file)] } = upload;
    return call('POST', `${subject}/documents`, {
      raw: multipart(parts, upload),
      headers: { 'content-type': contentType(upload) },
      ...(key !== undefined && { key }),
      ...(token !== undefined && { token }),
    });
  }
  async function submitted(subject: string, upload: Upload = {}): Promise<string> {
    const answer = await submit(subject, upload);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.text, '');
    return answer.headers.location!;
  }
  function judge(
    document: string,
    decision: string,
    reasons?: string[],
    { note, ...options }: { note?: string; token?: string; key?: string } = {},
  ): Promise<Answer> {
    const body = { decision, ...(reasons && { reasons }), ...(note && { note }) };
    return call('POST', `${document}/reviews`, { body, ...options });
  }
  return { submit, submitted, judge };
}

/** Row counts of everything related to documents, to check that a refused upload leaves them unchanged. */
async function countRows(sql: Sql): Promise<Body> {
  const [row] = await sql<Body>`
    select (select count(*)::int from document) as documents, (select count(*)::int from document_content) as pieces,
      (select count(*)::int from loose_content) as loose, (select count(*)::int from document_review) as reviews,
      (select count(*)::int from ${await allEvents(sql)}) as events, (select count(*)::int from idempotency_key) as keys`;
  return row;
}
