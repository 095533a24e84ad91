// Loads @earmark/proof where nothing of Node.js is global, as in a browser: verifies the receipt in INPUT, and audits its account.
// Run by proof.test.ts with --experimental-vm-modules.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { createContext, runInContext, SourceTextModule } from 'node:vm';

const ENTRY = new URL('../../packages/proof/src/proof.ts', import.meta.url).href;
const { atob, btoa, Blob, CompressionStream, crypto, DecompressionStream, fetch, Response, setTimeout } = globalThis;
const WEB = {
  atob,
  btoa,
  Blob,
  CompressionStream,
  crypto,
  DecompressionStream,
  fetch,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
};

const context = createContext({ ...WEB });
assert.equal(runInContext('typeof process + typeof Buffer + typeof require', context), 'undefined'.repeat(3));
const loaded = new Map<string, SourceTextModule>();

function load(url: string): SourceTextModule {
  const known = loaded.get(url);
  if (known) return known;
  // Throws for an address that is not a file, such as node:crypto.
  const code = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'));
  const module = new SourceTextModule(code, { context, identifier: url });
  loaded.set(url, module);
  return module;
}

const entry = load(ENTRY);
await entry.link((name, { identifier }) => load(new URL(name, identifier).href));
await entry.evaluate();
const { audit, parseProof, parseVerifier, verifyReceipt } = entry.namespace as typeof import('../../packages/proof/src/proof.ts');

const { url, account, token, key, receipt, proof } = JSON.parse(process.env.INPUT!);
const read = async (path: string, accept = '*/*') => {
  const response = await fetch(`${url}${path}`, { headers: { accept, authorization: `Bearer ${token}` } });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
};
const source = {
  log: (path: string) => read(`/accounts/${account}/log/${path}`),
  get: async <T>(path: string) => {
    const bytes = await read(path);
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as T);
  },
  read,
};
console.log(
  JSON.stringify({
    verified: await verifyReceipt(receipt, { key }),
    forged: await verifyReceipt({ ...receipt, entry: receipt.entry.replace('"1.00"', '"9.00"') }, { key }),
    parsed: parseProof(proof),
    audited: await audit({ source, verifier: parseVerifier(key)! }),
  }),
);
