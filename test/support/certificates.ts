// A certificate authority for tests, and certificates that it signs for loopback servers.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

cryptoProvider.set(webcrypto as unknown as Crypto);

/** Creates an authority in a folder. Its certificate is in the file `ca`. */
export async function createAuthority(folder: string, name: string) {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const dates = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
  };
  const subject = `CN=${name}`;
  const extensions = [new BasicConstraintsExtension(true, 1, true)];
  const root = await X509CertificateGenerator.createSelfSigned({
    name: subject,
    keys: keys as CryptoKeyPair,
    ...dates,
    extensions,
  });
  const write = (file: string, text: string) => {
    const path = join(folder, `${name}-${file}`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  return {
    ca: write('ca.pem', root.toString('pem')),
    /** Creates a certificate for a host name. Returns its files: certificate, key, and both in one. */
    async certify(host: string) {
      const own = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
      const certificate = await X509CertificateGenerator.create({
        ...dates,
        subject: `CN=${host}`,
        issuer: subject,
        publicKey: own.publicKey as CryptoKey,
        signingKey: keys.privateKey as CryptoKey,
        extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
      });
      const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY');
      const pem = certificate.toString('pem');
      return {
        certificate: write(`${host}.pem`, pem),
        key: write(`${host}.key`, key),
        both: write(`${host}-both.pem`, `${pem}\n${key}`),
      };
    },
  };
}
