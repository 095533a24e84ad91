// An S3 server with an empty bucket, for tests.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestScope } from './test-scope.ts';

type S3Server = { run(): Promise<AddressInfo>; close(): Promise<void>; httpServer: Server };
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

/** The only credentials that the server knows. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** Starts the server on a loopback port. It ends with `t`. */
export async function startS3(t: TestScope, bucket: string) {
  const directory = mkdtempSync(join(tmpdir(), 'earmark-s3-'));
  const options = { address: '127.0.0.1', directory, silent: true, configureBuckets: [{ name: bucket }], vhostBuckets: false };
  let server = new S3rver({ ...options, port: 0 });
  const { port } = await server.run();
  let isUp = true;
  const stop = async () => {
    if (!isUp) return;
    isUp = false;
    server.httpServer.closeAllConnections();
    await server.close();
  };
  t.after(async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    address: `s3://${bucket}?endpoint=http://127.0.0.1:${port}&region=us-east-1`,
    stop,
    async start() {
      server = new S3rver({ ...options, port });
      await server.run();
      isUp = true;
    },
    /** The keys of all objects. */
    keys: () =>
      readdirSync(join(directory, bucket), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.replace('._S3rver_object', ''))
        .sort(),
    read: (key: string) => readFileSync(join(directory, bucket, `${key}._S3rver_object`)),
  };
}
