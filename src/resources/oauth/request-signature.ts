// Signatures of requests (RFC 9421) with the keys of applications: verified when sent, and returned as evidence of who asked.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/problems.ts';
import type { Evidence } from '../../ledger/transfers/evidence.ts';
import type { Application } from './application.ts';
import { asUnavailable } from './assertion.ts';
import { type ClientKey, readKey } from './client-key.ts';
import type { Directory } from './directory.ts';
import {
  algorithmOf,
  checkDigest,
  componentsOf,
  isSignedBy,
  type Message,
  type MessageSignature,
  readSignatures,
  SignatureError,
  signatureBase,
} from './message-signature.ts';
import type { RemoteKeys } from './remote-keys.ts';
import type { Replays } from './replays.ts';

/** `content`: the bytes of the body. `hasTexts`: the body has texts of the client. */
type SignedRequest = {
  raw: IncomingMessage;
  method: string;
  url: string;
  caller: { applicationId: string };
  content: Buffer | undefined;
  hasTexts: boolean;
};

export type RequestSignatures = {
  /** The evidence of a signed request. Refuses a signature that is wrong or incomplete. */
  verify(request: SignedRequest): Promise<Evidence>;
};

type Options = {
  issuer: () => string;
  clock: Clock;
  directory: Pick<Directory, 'application' | 'refresh'>;
  replays: Replays;
  remoteKeys: RemoteKeys;
  noteKey: (application: Application, key: ClientKey) => void;
};
type Signed = { signature: MessageSignature; key: ClientKey };

/** By how much `created` may differ from the time of the service, as `iat` of proofs: who signs, sends at once. */
const WINDOW_S = 60;
/** Fields in which no client writes its texts. */
const DIGEST_LINE = /^"content-digest": (.*)$/m;
const FIXED = /^@|^(?:content-digest|content-type|content-length|date|host|accept)$/;

/** Whether a request has signature fields. */
export function isSigned({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['signature-input'] !== undefined || headers.signature !== undefined;
}

export function openRequestSignatures(options: Options): RequestSignatures {
  const { issuer, clock, directory, replays, remoteKeys, noteKey } = options;

  async function verifySigned(request: SignedRequest): Promise<Evidence> {
    const { raw, method, url, content = Buffer.alloc(0) } = request;
    if (!url.startsWith('/')) throw new SignatureError('The target of the request is not a path.');
    const message: Message = { method, url: `${issuer()}${url}`, fields: raw.headersDistinct };
    const signatures = readSignatures(message);
    const { applicationId } = request.caller;
    const own = await ofApplication(signatures, applicationId);
    const nowS = clock.now().getTime() / 1000;
    const bases = own.map((one) => check(one, { message, content, nowS }));
    const [{ signature, key }, base] = [own[0]!, bases[0]!];
    if (!componentsOf(signature).includes('idempotency-key')) await useOnce(applicationId, key, base);
    noteKey(directory.application(applicationId)!, key);
    const { keyid, created } = Object.fromEntries(signature.input[1]) as { keyid: string; created: number };
    return {
      applicationId,
      keyId: keyid,
      thumbprint: key.thumbprint,
      publicKey: key.publicKey.export({ format: 'jwk' }) as Evidence['publicKey'],
      algorithm: algorithmOf(key),
      signedS: created,
      base,
      signature: signature.bytes.toString('base64'),
      ...(content.length > 0 && { content: content.toString() }),
      hasTexts: request.hasTexts || componentsOf(signature).some((name) => !FIXED.test(name)),
    };
  }

  /** The signatures with keys of the application. Others are of proxies on the way, and none of ours to judge. */
  async function ofApplication(signatures: MessageSignature[], id: string): Promise<Signed[]> {
    const among = (keys: readonly ClientKey[]) =>
      signatures.flatMap((signature) => {
        const keyId = signature.input[1].get('keyid');
        const key = keys.find(({ jwk, thumbprint }) => keyId !== undefined && (jwk.kid === keyId || thumbprint === keyId));
        return key ? [{ signature, key }] : [];
      });
    const found = among(await keysOf(directory.application(id)));
    if (found.length > 0) return found;
    // Another process may just have stored the key, or the set at the address has a new one.
    await directory.refresh();
    const foundLate = among(await keysOf(directory.application(id), { isUnknown: true }));
    if (foundLate.length === 0) throw new SignatureError('No signature has the keyid of a key of the application.');
    return foundLate;
  }

  async function keysOf(application: Application | undefined, again?: { isUnknown: true }): Promise<readonly ClientKey[]> {
    const { keys = [], jwksUri = null, trust = null } = application ?? {};
    // The keys of a trusted issuer are not those of the application.
    if (trust !== null || jwksUri === null) return trust === null ? keys : [];
    return remoteKeys.keysOf({ jwksUri }, again).catch(asUnavailable);
  }

  /** A signed Idempotency-Key has one effect, however often it is sent; any other signature is accepted once. */
  async function useOnce(applicationId: string, { thumbprint }: ClientKey, base: string): Promise<void> {
    const expiresMs = clock.now().getTime() + 2 * WINDOW_S * 1000;
    if (await replays.use({ applicationId, client: `signature ${thumbprint}`, jti: base, expiresMs })) return;
    throw new SignatureError('It was used before: sign a nonce, or an Idempotency-Key.');
  }

  return {
    verify(request) {
      return verifySigned(request).catch((error: unknown) => {
        throw error instanceof SignatureError
          ? refuse('badSignature', { message: `The signature of the request is refused. ${error.message}` })
          : error;
      });
    },
  };
}

/** Whether the signature of stored evidence fits its base and key, and the signed digest its content. */
export function isStillValid({ publicKey, base, signature, content = '' }: Evidence): boolean {
  const key = readKey(publicKey);
  if (typeof key === 'string' || !isSignedBy(key, base, Buffer.from(signature, 'base64'))) return false;
  const [, digest] = DIGEST_LINE.exec(base) ?? [];
  if (digest === undefined) return content === '';
  try {
    checkDigest({ fields: { 'content-digest': [digest] } }, Buffer.from(content));
    return true;
  } catch {
    return false;
  }
}

/** Checks one signature, and returns what it signs. Throws a SignatureError. */
function check(
  { signature, key }: Signed,
  { message, content, nowS }: { message: Message; content: Buffer; nowS: number },
): string {
  const { alg, created, expires, nonce } = Object.fromEntries(signature.input[1]);
  if (alg !== undefined && alg !== algorithmOf(key)) throw new SignatureError(`alg is not ${algorithmOf(key)}, that of its key.`);
  if (!Number.isInteger(created)) throw new SignatureError('created is missing.');
  if (!(Math.abs((created as number) - nowS) <= WINDOW_S)) {
    throw new SignatureError(`created is more than ${WINDOW_S} seconds away from the time of the service.`);
  }
  if (expires !== undefined && !(Number.isInteger(expires) && (expires as number) > nowS)) {
    throw new SignatureError('expires is in the past.');
  }
  if (nonce !== undefined && typeof nonce !== 'string') throw new SignatureError('nonce is not a string.');
  const covered = new Set(componentsOf(signature));
  requireComponents(covered, message, content);
  const base = signatureBase(message, signature.input);
  if (!isSignedBy(key, base, signature.bytes)) throw new SignatureError('It does not fit the request and its key.');
  if (covered.has('content-digest')) checkDigest(message, content);
  return base;
}

function requireComponents(covered: Set<string>, { fields }: Message, content: Buffer): void {
  if (!covered.has('@method')) throw new SignatureError('It does not cover @method.');
  if (!covered.has('@target-uri') && !(covered.has('@authority') && covered.has('@path'))) {
    throw new SignatureError('It does not cover @target-uri, or @authority and @path.');
  }
  if (content.length > 0 && !covered.has('content-digest')) throw new SignatureError('It does not cover content-digest.');
  if (fields['idempotency-key'] !== undefined && !covered.has('idempotency-key')) {
    throw new SignatureError('It does not cover idempotency-key.');
  }
}
