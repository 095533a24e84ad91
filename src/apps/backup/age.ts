// Encrypts the files of a backup in the age format (C2SP age), so that its place needs no key: the identity that opens them stays elsewhere.
import { readFile } from 'node:fs/promises';
import { Duplex } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { UserError } from '../../core/user-error.ts';

/** A file of a backup cannot be encrypted or decrypted. The message is one line. */
class AgeError extends UserError {}

type Bytes = AsyncIterable<Uint8Array>;
/** Makes the stage of a pipeline for one file. */
export type Stage = () => Duplex;

/** The ending of encrypted files. */
export const AGE = '.age';
const IDENTITY = /^AGE-SECRET-KEY-(?:1|PQ-1)[0-9A-Z]+$/;

/** Throws an AgeError if a recipient is malformed. */
export async function encryptTo(recipients: string[]): Promise<Stage> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new AgeError(
        `${recipient} is not a recipient in the age format, such as age1…, the public key that age-keygen prints.`,
      );
    }
  }
  return () => toDuplex((source) => encrypter.encrypt(source));
}

/** The contrary. The stage fails with an AgeError if no identity is that of a recipient, or if the file was changed. */
export async function decryptWith(identities: string[]): Promise<Stage> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return () =>
    toDuplex((source) =>
      decrypter.decrypt(source).catch((error: Error) => {
        throw new AgeError(`The backup cannot be decrypted: ${error.message}.`);
      }),
    );
}

/** Reads the identities of a file as age-keygen writes it. Throws an AgeError if it has none. */
export async function readIdentities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new AgeError(`The identity ${file} cannot be read: ${error.code}.`);
  });
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0 || !lines.every((line) => IDENTITY.test(line)))
    throw new AgeError(`${file} is not an identity in the age format: a line AGE-SECRET-KEY-1…, as age-keygen writes it.`);
  return lines;
}

function toDuplex(transform: (source: globalThis.ReadableStream<Uint8Array>) => Promise<unknown>): Duplex {
  return Duplex.from(async function* (source: Bytes) {
    yield* (await transform(ReadableStream.from(source) as globalThis.ReadableStream<Uint8Array>)) as Bytes;
  });
}
