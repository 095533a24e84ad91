// Salted hashes of texts in a transparency log. Without the salt, which can be erased, a hash says nothing about the texts.
import type { FormerNames } from './former-names.ts';
import { sha256 } from './sha256.ts';

/** What is hashed of a resource: its id, and those of its texts that are there. */
export type Details = { id: string; name?: string | null; formerNames?: FormerNames | null; [member: string]: unknown };

/** 192 bits: nobody finds two records with one hash. */
const HASH_CHARACTERS = 32;

/** The hash of canonical JSON: SHA-256 of the salt in base64url, a line feed and the JSON, cut to 24 bytes, in base64url. */
export function commit(salt: string, json: string): string {
  return sha256(`${salt}\n${json}`, 'base64url').slice(0, HASH_CHARACTERS);
}

/** Canonical JSON (RFC 8785) of a value of JSON. Members that are null or undefined are left out. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  const sorted = members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`).join(',')}}`;
}

export type TransferTexts = Partial<Record<'reference' | 'correlationId' | 'externalId' | 'reason', string>> & {
  metadata?: Record<string, string>;
};

/** The details of a transfer as canonical JSON, or undefined if it has no texts. `canonicalize` would take five times as long. */
export function writeTexts(id: string, texts: TransferTexts): string | undefined {
  const { reference, correlationId, externalId, reason, metadata } = texts;
  const before =
    (correlationId === undefined ? '' : `"correlationId":${JSON.stringify(correlationId)},`) +
    (externalId === undefined ? '' : `"externalId":${JSON.stringify(externalId)},`);
  const after =
    (metadata === undefined ? '' : `,"metadata":${canonicalize(metadata)}`) +
    (reason === undefined ? '' : `,"reason":${JSON.stringify(reason)}`) +
    (reference === undefined ? '' : `,"reference":${JSON.stringify(reference)}`);
  return before === '' && after === '' ? undefined : `{${before}"id":"${id}"${after}}`;
}
