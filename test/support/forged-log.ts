// A service that signs a log of any entries, as a dishonest operator could.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIGEST, encodeEntries } from '../../packages/proof/src/encode-entries.ts';
import { openTree } from '../../packages/proof/src/growing-tree.ts';
import { formatVerifier } from '../../packages/proof/src/note.ts';
import { signCheckpoint } from '../../packages/proof/src/sign.ts';
import { pathOfTile, TILE_WIDTH } from '../../packages/proof/src/tiles.ts';
import type { TestScope } from './test-scope.ts';

/** Serves a log of at most 255 entries, and nothing else. Returns the arguments of its audit. */
export async function serveForgedLog(t: TestScope, entries: string[]): Promise<string[]> {
  const account = '01890000-0000-7000-8000-000000000000';
  const origin = `forged.example/accounts/${account}/log`;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signer = { name: origin, publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'), privateKey };
  const { bundle, leaves } = encodeEntries(entries);
  const hashes = leaves.map((leaf) => Buffer.from(leaf, DIGEST));
  const tree = openTree();
  for (const hash of hashes) tree.add(hash);
  const size = entries.length;
  if (size >= TILE_WIDTH) throw new Error('a forged log has one partial tile');
  const files: Record<string, string | Buffer> = {
    checkpoint: signCheckpoint({ origin, size, root: tree.root() }, [signer]),
    [`tile/${pathOfTile(0, 0, size)}`]: Buffer.concat(hashes),
    [`tile/${pathOfTile('entries', 0, size)}`]: bundle,
  };
  const server = createServer((request, response) => {
    const path = request.url!.replace(`/accounts/${account}/log/`, '');
    const file = path === '/token' ? '{"access_token":"forged"}' : files[path];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return ['audit', '--url', url, '--account', account, '--key', formatVerifier(signer)];
}
