// Settings of clients that prove more than a secret: nonces of DPoP, and client certificates that a proxy has checked.
import { headerName, integer, oneOf } from './kinds.ts';
import { NONE, type Setting } from './setting.ts';

/** Some 200 bytes of the database each, for three to six minutes. */
const USED_PROOFS_MAX = 100_000_000;

export const clientSettings = {
  dpopNonce: {
    name: 'DPOP_NONCE',
    kind: oneOf('optional', 'required'),
    fallback: 'optional',
    about: 'required: each DPoP proof contains a nonce of the service, which is valid for three minutes',
  },
  usedProofsMax: {
    name: 'USED_PROOFS_MAX',
    kind: integer({ min: 1, max: USED_PROOFS_MAX }),
    fallback: '1000000',
    about: 'used DPoP proofs, assertions and signatures of an application that are kept until they expire; further ones get 429',
  },
  clientCertificateHeader: {
    name: 'CLIENT_CERTIFICATE_HEADER',
    kind: headerName,
    shown: NONE,
    about:
      'header in which a proxy of TRUST_PROXY sends the client certificate of the connection, as Client-Cert (RFC 9440), base64 or escaped PEM; the proxy must remove it from requests of clients',
  },
} satisfies Record<string, Setting>;
