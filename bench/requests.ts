// The requests of a benchmark as bytes.
import { randomUUID } from 'node:crypto';
import { type Mix, openMix } from './mixes.ts';
import type { Stage } from './stage.ts';

const HAL = 'application/vnd.earmark.v1.hal+json';

/** Reallocations, each with a new idempotency key. */
export function reallocations({ url, token, labels }: Pick<Stage, 'url' | 'token' | 'labels'>, mix: Mix): () => string {
  const pick = openMix(mix, labels);
  const head = `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\n`;
  return () => {
    const { fromId, toId, value } = pick();
    const body = `{"_links":{"from":{"href":"${url}/labels/${fromId}"},"to":{"href":"${url}/labels/${toId}"}},"amount":{"value":"${value}","currency":"USD"}}`;
    return `${head}Idempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Deposits to one customer, each with a new idempotency key. */
export function deposits({ credentials, token }: Pick<Stage, 'credentials' | 'token'>): () => string {
  const body = '{"amount":{"value":"1.00","currency":"USD"}}';
  const head = `POST ${new URL(credentials.customer).pathname}/deposits HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\n`;
  return () => `${head}Idempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Requests for a token. */
export function tokens({ credentials }: Pick<Stage, 'credentials'>): () => string {
  const basic = Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString('base64');
  const body = 'grant_type=client_credentials';
  const request = `POST /token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${basic}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return () => request;
}

/** A request for a page, compressed, as most clients of HTTP ask for it by default. */
export function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: ${HAL}\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n`;
}
