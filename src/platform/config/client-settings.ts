// Settings of clients that prove more than a secret: nonces of DPoP, and client certificates that a proxy has checked.
import { headerName, oneOf } from './kinds.ts';
import { NONE, type Setting } from './setting.ts';

export const clientSettings = {
  dpopNonce: {
    name: 'DPOP_NONCE',
    kind: oneOf('optional', 'required'),
    fallback: 'optional',
    about: 'required: each DPoP proof contains a nonce of the service, which is valid for three minutes',
  },
  clientCertificateHeader: {
    name: 'CLIENT_CERTIFICATE_HEADER',
    kind: headerName,
    shown: NONE,
    about:
      'header in which a proxy of TRUST_PROXY sends the client certificate of the connection, as Client-Cert (RFC 9440), base64 or escaped PEM; the proxy must remove it from requests of clients',
  },
} satisfies Record<string, Setting>;
