// Settings of the transparency logs: where their checkpoints are kept, and who cosigns them.
import { toHex } from '../../../packages/proof/src/bytes.ts';
import { parseVerifier, type Verifier } from '../../../packages/proof/src/note.ts';
import { BUCKET_FORM, type Bucket, parseBucket } from './bucket.ts';
import { entriesOf, folder, InvalidValue, integer, type Kind } from './kinds.ts';
import { NONE, type Setting } from './setting.ts';

/** A witness by its key, and the URL of its service (the submission prefix of C2SP tlog-witness), without a trailing slash. */
export type Witness = { verifier: Verifier; url: string };

const BEFORE_URL = /@https?:\/\//;

const witnesses: Kind<Witness[]> = {
  parse(given) {
    const read = entriesOf(given).map((entry) => {
      const at = entry.search(BEFORE_URL);
      const [key, url] = [entry.slice(0, Math.max(at, 0)), entry.slice(at + 1)];
      const verifier = parseVerifier(key, 'cosignature');
      if (!verifier || /\s/.test(url) || !URL.canParse(url)) throw new InvalidValue('witnesses as KEY@URL, separated by commas');
      return { verifier, url: url.endsWith('/') ? url.slice(0, -1) : url };
    });
    const [names, keys] = [read.map(({ verifier }) => verifier.name), read.map(({ verifier }) => toHex(verifier.publicKey))];
    if (new Set(names).size < read.length || new Set(keys).size < read.length)
      throw new InvalidValue('witnesses with different names and keys');
    return read;
  },
};

const checkpointPlace: Kind<string | Bucket> = {
  parse(given) {
    if (!given.startsWith('s3:')) return folder.parse(given);
    const bucket = parseBucket(given);
    if (!bucket) throw new InvalidValue(`a folder, or ${BUCKET_FORM}`, { isHidden: true });
    return bucket;
  },
};

export const witnessSettings = {
  checkpointDir: {
    name: 'CHECKPOINT_DIR',
    kind: checkpointPlace,
    shown: NONE,
    about: `folder or ${BUCKET_FORM} for the newest checkpoint of each transparency log, shared by all services: after a failover of the database the logs go on if they contain it`,
  },
  logWitnesses: {
    name: 'LOG_WITNESSES',
    kind: witnesses,
    shown: NONE,
    about: 'witnesses that cosign the checkpoints of the transparency logs: KEY@URL, KEY@URL; `earmark witness` prints both',
  },
  logWitnessQuorum: {
    name: 'LOG_WITNESS_QUORUM',
    kind: integer({ min: 1, max: 100 }),
    shown: 'all of LOG_WITNESSES',
    about: 'how many witnesses must have cosigned a checkpoint that is served as witnessed',
  },
} satisfies Record<string, Setting>;
