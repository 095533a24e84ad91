// The address of a bucket in S3-compatible storage.
import { isBareUrl } from './network.ts';

/** `endpoint` has no trailing slash. */
export type Bucket = { bucket: string; endpoint: string; region: string };

/** The form of an address, for messages and the help. */
export const BUCKET_FORM = 's3://bucket?endpoint=https://host&region=name';

/** Parses an address; undefined for anything else. */
export function parseBucket(given: string): Bucket | undefined {
  const url = URL.parse(given);
  const region = url?.searchParams.get('region') || 'us-east-1';
  const endpoint = url?.searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`;
  if (url?.protocol !== 's3:' || !url.hostname || url.pathname.length > 1 || !isBareUrl(endpoint)) return undefined;
  return { bucket: url.hostname, endpoint: endpoint.replace(/\/$/, ''), region };
}
