// Settings of documents: their store, how long they are kept, and who decides on them.
import { BUCKET_FORM, type Bucket, parseBucket } from './bucket.ts';
import { autoDecisions, checkers, checkerUrl } from './document-checks.ts';
import { flag, InvalidValue, integer, type Kind, oneOf, text } from './kinds.ts';
import { DAY_SECONDS, NONE, type Setting } from './setting.ts';

/** Reads `postgresql`, or `s3://bucket?endpoint=…&region=…`. */
const documentStore: Kind<Place> = {
  parse(given) {
    if (given === 'postgresql') return { kind: 'postgresql' };
    const bucket = parseBucket(given);
    if (!bucket) throw new InvalidValue(`postgresql, or ${BUCKET_FORM}`, { isHidden: true });
    return { kind: 's3', ...bucket };
  },
};

export const documentSettings = {
  documentStore: {
    name: 'DOCUMENT_STORE',
    kind: documentStore,
    fallback: 'postgresql',
    about: `where document content is stored: postgresql, or ${BUCKET_FORM}`,
  },
  accessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    kind: text,
    isSecret: true,
    shown: NONE,
    about: 'access key id for s3:// in DOCUMENT_STORE and CHECKPOINT_DIR',
  },
  secretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    kind: text,
    isSecret: true,
    shown: NONE,
    about: 'secret access key for s3:// in DOCUMENT_STORE and CHECKPOINT_DIR',
  },
  documentRetentionDays: {
    name: 'DOCUMENT_RETENTION_DAYS',
    kind: integer({ min: 0, max: 36_500 }),
    fallback: '1825',
    about:
      'days from the decision on a document until its content is erased; without a decision from its upload, and at least 30',
  },
  foreignPassports: {
    name: 'FOREIGN_PASSPORTS',
    kind: oneOf('allowed', 'forbidden'),
    fallback: 'allowed',
    about: 'allowed, or forbidden: enables the rejection reason ForeignPassportNotAllowed',
  },
  documentCheckers: {
    name: 'DOCUMENT_CHECKERS',
    kind: checkers,
    shown: 'off; in the sandbox reader, after the scripted checker',
    about:
      'what checks documents: reader reads passports, cards and licences here, http asks DOCUMENT_CHECKER_URL; of both, all must agree; or off',
  },
  documentCheckerUrl: {
    name: 'DOCUMENT_CHECKER_URL',
    kind: checkerUrl,
    shown: NONE,
    about: 'service that the http checker sends pictures to; https, or http to this machine',
  },
  documentCheckerSecret: {
    name: 'DOCUMENT_CHECKER_SECRET',
    kind: text,
    isSecret: true,
    shown: NONE,
    about: 'secret that signs the requests of the http checker, like a webhook',
  },
  autoDecide: {
    name: 'AUTO_DECIDE',
    kind: autoDecisions,
    shown: 'reject-expired; in the sandbox accept,reject',
    about:
      'what checkers decide for accounts without a policy: accept-chip, accept-document or accept-text, the evidence that is enough; accept (chip in production, text in the sandbox); reject, reject-expired; or none',
  },
  reviewFourEyes: {
    name: 'REVIEW_FOUR_EYES',
    kind: flag,
    fallback: 'false',
    about: 'true: a decision of a person or application on a document counts when a second one agrees',
  },
  reviewUndoSeconds: {
    name: 'REVIEW_UNDO_SECONDS',
    kind: integer({ min: 0, max: 60 }),
    fallback: '10',
    about: 'seconds for which a person of the console can take a decision on a document back, before its event is sent; 0: none',
  },
  sandboxReviewDelayMs: {
    name: 'SANDBOX_REVIEW_DELAY_MS',
    kind: integer({ min: 0, max: DAY_SECONDS * 1000 }),
    fallback: '500',
    about: 'delay of the checks of documents in the sandbox',
  },
} satisfies Record<string, Setting>;

type Place = { kind: 'postgresql' } | ({ kind: 's3' } & Bucket);
