// The store for document content: the database, or an S3-compatible bucket.
import { InvalidValue, type Kind } from './kinds.ts';
import { isBareUrl } from './network.ts';

type Place = { kind: 'postgresql' } | { kind: 's3'; bucket: string; endpoint: string; region: string };

/** Reads `postgresql`, or `s3://bucket?endpoint=…&region=…`. */
export const documentStore: Kind<Place> = {
  parse(given) {
    if (given === 'postgresql') return { kind: 'postgresql' };
    const url = URL.parse(given);
    const region = url?.searchParams.get('region') || 'us-east-1';
    const endpoint = url?.searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`;
    if (url?.protocol !== 's3:' || !url.hostname || url.pathname.length > 1 || !isBareUrl(endpoint)) {
      throw new InvalidValue('postgresql, or s3://bucket?endpoint=https://host&region=name', { isHidden: true });
    }
    return { kind: 's3', bucket: url.hostname, endpoint: endpoint.replace(/\/$/, ''), region };
  },
};
