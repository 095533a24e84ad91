// A service with owners and customers that need documents.
import assert from 'node:assert/strict';
import { type Answer, type Body, idOf } from './http.ts';
import { contentType, filePart, type MultipartOptions, multipart, type Part, typePart } from './multipart.ts';
import { picture } from './pictures.ts';
import { customerForm, startService } from './service.ts';
import type { TestScope } from './test-scope.ts';

type Upload = { documentType?: string; file?: Buffer; parts?: Part[]; key?: string; token?: string } & MultipartOptions;

/** Starts a service with functions that create owners and customers and upload documents. */
export async function openUploads(t: TestScope, settings: Parameters<typeof startService>[1] = {}) {
  // Keeps the scripted checker from deciding, unless a test configures it.
  const service = await startService(t, { ...settings, env: { SANDBOX_REVIEW_DELAY_MS: '86400000', ...settings.env } });
  const { call } = service;
  const post = async (path: string, body: unknown, token?: string): Promise<string> => {
    const answer = await call('POST', path, { body, ...(token && { token }) });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  const newCustomer = (form: Record<string, unknown> = {}, token?: string) =>
    post('/customers', { ...customerForm(), ...form }, token);
  const business = await newCustomer();
  const address = {
    address1: '1 Main Street',
    city: 'Springfield',
    stateProvinceRegion: 'IL',
    country: 'US',
    postalCode: '62701',
  };
  const ownerForm = { lastName: 'Example', dateOfBirth: '1979-11-30', ssn: '912-65-4329', address };

  /** Creates an owner that needs a document, for a new business unless one is given. */
  const newOwner = async (form: Record<string, unknown> = {}, options: { customer?: string; token?: string } = {}) =>
    post(
      `${options.customer ?? (await newCustomer({}, options.token))}/beneficial-owners`,
      { firstName: 'document', ...ownerForm, ...form },
      options.token,
    );
  const submit = async (subject: string, upload: Upload = {}): Promise<Answer> => {
    const {
      documentType = 'passport',
      file = await picture(),
      parts = [typePart(documentType), filePart(file)],
      key,
      token,
    } = upload;
    return call('POST', `${subject}/documents`, {
      raw: multipart(parts, upload),
      headers: { 'content-type': contentType(upload) },
      ...(key !== undefined && { key }),
      ...(token !== undefined && { token }),
    });
  };
  const submitted = async (subject: string, upload: Upload = {}): Promise<string> => {
    const answer = await submit(subject, upload);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.text, '');
    return answer.headers.location!;
  };
  const get = async (path: string): Promise<Body> => {
    const answer = await call('GET', path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const judge = (
    document: string,
    decision: string,
    reasons?: string[],
    options: { note?: string; token?: string; key?: string } = {},
  ) => {
    const { note, ...rest } = options;
    return call('POST', `${document}/reviews`, {
      body: { decision, ...(reasons && { reasons }), ...(note && { note }) },
      ...rest,
    });
  };
  /** Row counts of everything related to documents, to check that a refused upload leaves them unchanged. */
  const rowCounts = async () => {
    const [row] = await service.sql<Body>`
      select (select count(*)::int from document) as documents, (select count(*)::int from document_content) as pieces,
        (select count(*)::int from loose_content) as loose, (select count(*)::int from document_review) as reviews,
        (select count(*)::int from event) as events, (select count(*)::int from idempotency_key) as keys`;
    return row;
  };
  const topics = async (resource: string): Promise<string[]> => {
    const rows = await service.sql<{ topic: string }>`select topic from event where resource_id = ${idOf(resource)} order by id`;
    return rows.map((row) => row.topic);
  };
  return { ...service, business, newCustomer, newOwner, submit, submitted, get, judge, rowCounts, topics };
}
