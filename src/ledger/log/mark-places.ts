// Where high-water marks are kept: a folder, or a bucket in S3-compatible storage.
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { S3ServiceError } from 's3mini';
import { UserError } from '../../core/user-error.ts';
import { type BucketAccess, openBucket } from '../../platform/bucket.ts';
import { syncFolder } from '../../platform/sync-folder.ts';

type MarkPlace = {
  /** Its address, for messages. */
  name: string;
  /** Undefined if there is none. Throws a MarkError if it cannot be read. */
  read(file: string): Promise<string | undefined>;
  /** Replaces a file durably and at once. */
  write(file: string, text: string): Promise<void>;
};

/** The place cannot be used, or a file of it is not a checkpoint. The message is one line. */
export class MarkError extends UserError {}

/** A checkpoint is small. Nothing is signed meanwhile. */
const REQUEST_TIMEOUT_MS = 3_000;
const CHECK_FILE = 'earmark-start-check';
const SERVER_ERRORS = 500;
const ADVICE = 'Check its name, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and their permissions to put and get objects.';

/** Opens a folder. Throws a MarkError if it does not exist: one on a disk that is not mounted must not be made anew on the disk below. */
export async function openFolderPlace(folder: string): Promise<MarkPlace> {
  await syncFolder(folder).catch(({ code }: NodeJS.ErrnoException) => {
    const advice = code === 'ENOENT' ? ' Mount its disk. If it is new, make the folder there.' : '';
    throw new MarkError(`CHECKPOINT_DIR ${folder} cannot be used: ${code}.${advice}`);
  });
  return {
    name: folder,
    read: (file) =>
      readFile(join(folder, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new MarkError(`${join(folder, file)} cannot be read: ${error.code}.`);
      }),
    async write(file, text) {
      const draft = join(folder, `.${randomUUID()}`);
      try {
        const handle = await open(draft, 'wx');
        await handle
          .writeFile(text)
          .then(() => handle.sync())
          .finally(() => handle.close());
        await rename(draft, join(folder, file));
        await syncFolder(folder);
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

/** Opens a bucket. Throws a MarkError if it refuses; one that is away is used when it is back. */
export async function openBucketPlace(access: BucketAccess): Promise<MarkPlace> {
  const s3 = openBucket(access, REQUEST_TIMEOUT_MS);
  const name = `s3://${access.bucket}`;
  try {
    await s3.putObject(CHECK_FILE, '');
    await s3.getObject(CHECK_FILE);
  } catch (error) {
    if (error instanceof S3ServiceError && error.status < SERVER_ERRORS)
      throw new MarkError(`CHECKPOINT_DIR ${name} at ${access.endpoint} cannot be used: ${reasonOf(error)}. ${ADVICE}`);
  }
  return {
    name,
    async read(file) {
      const text = await s3.getObject(file).catch((error: unknown) => {
        throw new MarkError(`${name}/${file} cannot be read: ${reasonOf(error)}.`);
      });
      return text ?? undefined;
    },
    async write(file, text) {
      await s3.putObject(file, text).catch((error: unknown) => {
        throw new MarkError(`${name}/${file} cannot be written: ${reasonOf(error)}.`);
      });
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceError) return `${error.status} ${error.serviceCode ?? ''}`.trim();
  return String((error as Error).message).replace(/\s+/g, ' ');
}
