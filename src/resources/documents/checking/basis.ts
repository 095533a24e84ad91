// The basis of a decision of checkers, stored with its review: evidence, policy, thresholds, and what made the reading.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER } from '../../../../packages/document-reader/src/reading.ts';
import { WEIGHTS } from '../../../../packages/document-reader/src/weights.ts';
import { THRESHOLDS } from '../comparison/compare.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Policy } from '../policy/policy.ts';

/** `versions`: of the reader, its weights (SHA-256), the libraries and the runtime. */
export type Basis = { evidence: Evidence; policy: Policy; thresholds: typeof THRESHOLDS; versions: Record<string, string> };

const LIBRARIES = ['sharp', 'zxing-wasm', '@peculiar/asn1-cms', '@peculiar/asn1-x509', '@cornerstonejs/codec-openjpeg'];

let versions: Record<string, string> | undefined;

export function basisOf(evidence: Evidence, policy: Policy): Basis {
  versions ??= readVersions();
  return { evidence, policy, thresholds: THRESHOLDS, versions };
}

function readVersions(): Record<string, string> {
  const libraries = LIBRARIES.map((name) => [name, versionOf(name)]);
  const weights = createHash('sha256').update(WEIGHTS).digest('hex');
  const { node, openssl } = process.versions;
  return { reader: READER.version, weights, ...Object.fromEntries(libraries), node, openssl: openssl ?? '' };
}

/** Of the installed package; not all of them export their package.json. */
function versionOf(name: string): string {
  const main = fileURLToPath(import.meta.resolve(name));
  const folder = join('node_modules', name);
  const root = main.slice(0, main.lastIndexOf(folder) + folder.length);
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
