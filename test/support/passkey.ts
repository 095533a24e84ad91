// An authenticator in software (WebAuthn Level 3, §6.1): makes a passkey with ES256, and signs challenges with it as a browser would send.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type Site = { origin: string };

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };
const AAGUID = Buffer.alloc(16);
/** The members of a COSE key (RFC 9053 §7.1.1): EC2, ES256, P-256. */
const COSE = { kty: 1, alg: 3, crv: -1, x: -2, y: -3 };

const encoded = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

export function newAuthenticator({ origin }: Site) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const clientData = (type: string, challenge: string) => JSON.stringify({ type, challenge, origin, crossOrigin: false });
  const authenticatorData = (flags: number, counter: number, rest: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), count, rest]);
  };
  const credential = (response: object) => ({
    id: encoded(id),
    rawId: encoded(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    id: encoded(id),
    /** The answer to the options of an enrolment. */
    create(challenge: string, counter = 0) {
      const key = new Map<number, number | Uint8Array>([
        [COSE.kty, 2],
        [COSE.alg, -7],
        [COSE.crv, 1],
        [COSE.x, new Uint8Array(Buffer.from(x!, 'base64url'))],
        [COSE.y, new Uint8Array(Buffer.from(y!, 'base64url'))],
      ]);
      const attested = Buffer.concat([AAGUID, Buffer.from([0, id.length]), id, isoCBOR.encode(key)]);
      const data = authenticatorData(FLAGS.present | FLAGS.verified | FLAGS.attested, counter, attested);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(data)],
      ]);
      return credential({
        clientDataJSON: encoded(clientData('webauthn.create', challenge)),
        attestationObject: encoded(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0])),
        transports: ['internal'],
      });
    },
    /** The answer to the options of a sign-in. */
    get(challenge: string, counter: number) {
      const json = clientData('webauthn.get', challenge);
      const data = authenticatorData(FLAGS.present | FLAGS.verified, counter);
      return credential({
        clientDataJSON: encoded(json),
        authenticatorData: encoded(data),
        signature: encoded(sign('sha256', Buffer.concat([data, sha256(json)]), privateKey)),
      });
    },
  };
}
