// Opens buckets in S3-compatible storage.
import { S3mini } from 's3mini';
import type { Bucket } from './config/bucket.ts';

export type BucketAccess = Bucket & { accessKeyId: string; secretAccessKey: string };

/** A client of the bucket, whose requests end after the timeout. */
export function openBucket(access: BucketAccess, timeoutMs: number): S3mini {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = access;
  return new S3mini({ endpoint: `${endpoint}/${bucket}`, region, accessKeyId, secretAccessKey, requestAbortTimeout: timeoutMs });
}
