// The result of reading one picture of an identity document.

/** The reader, stored beside each result: a new version reads pictures differently. */
export const READER = { name: 'reader', version: '5' } as const;

/** What the sender of a picture says that it shows. */
export type DocumentType = 'passport' | 'license' | 'idCard' | 'other';

/** Kinds of machine-readable data: the three sizes of ICAO Doc 9303 and the barcode of the AAMVA card design standard. */
type ReadKind = 'td1' | 'td2' | 'td3' | 'aamva';

/** What a picture may be of, for a person: some honest pictures have it too, so that nothing may be decided by it. */
export const HINTS = ['screen', 'greyCopy', 'editor'] as const;
export type Hint = (typeof HINTS)[number];

/**
 * `fingerprint` is a 256-bit perceptual hash in 64 hexadecimal digits: pictures of the same scene differ in few bits. `portrait` is that
 * of the portrait beside a verified zone; undefined where none is found. `presence` is that of the document around verified data. `hints` is
 * absent of a chip.
 */
export type Reading = (Read | Unread) & {
  quality: Quality;
  fingerprint: string;
  portrait?: string;
  presence?: Presence;
  hints?: Hint[];
};

/** What a picture shows around the data of a document. A part is undefined if it was not tested, or the side with the data has none. */
export type Presence = {
  /** Four edges of the proportions of the standard, with the data at its place. */
  outline: boolean;
  /** At its place beside a zone. */
  portrait?: boolean;
  /** Print inside the outline: of a page with names, that it spells the names and the number of the zone. */
  print?: boolean;
};

/** Whether every part that the side with the data has was found. It says nothing about who made them. */
export function showsDocument({ outline, portrait, print }: Presence): boolean {
  return outline && portrait !== false && print === true;
}

/** Data was found. Only `verified` data may decide anything; other data helps a reviewer. */
export type Read = {
  kind: ReadKind;
  /** Every check holds, both dates exist, the issuer is known and every field that decides has a high confidence. */
  verified: boolean;
  fields: Fields;
  /** Calibrated probability, 0 to 1, that the whole field is what is printed. */
  confidence: Confidence;
  /** Confidence of each character of the names, in their order. No check digit covers names. */
  letters: { surname: number[]; givenNames: number[] };
  checks: Check[];
  /** Lines of the machine-readable zone, or of the barcode's subfiles: personal data, store them sealed. */
  lines: string[];
  /** Where the fields of a zone are in the picture. */
  places?: Partial<Record<keyof Confidence, Place>>;
};

/** A part of a line of text: the middles of its left and right edge, as shares of the width and the height of the picture. */
export type Place = { start: [x: number, y: number]; end: [x: number, y: number]; characters: number };

/** No data was found. `cause` says what was missing: a picture of the front of a licence has no barcode. */
export type Unread = { kind: 'none'; cause: 'noMachineReadableZone' | 'noBarcode' | 'noData' | 'undecodable' };

export type Fields = {
  /** Without fillers. */
  documentNumber: string;
  /** In capitals A to Z as printed in the zone, or as encoded in the barcode; words are separated by one space. */
  surname: string;
  /** First and further given names, or empty. */
  givenNames: string;
  /** Suffix such as JR, barcodes only: a zone has it within the names. */
  suffix?: string;
  /** Whether the name may continue beyond what is encoded. */
  nameTruncated: { surname: boolean; givenNames: boolean };
  /** YYYY-MM-DD; undefined when the document leaves out the day or the month. */
  dateOfBirth?: string;
  /** The same day a century earlier, when it is possible too: a zone has two digits of the year. */
  earlierDateOfBirth?: string;
  /** YYYY-MM-DD; undefined on documents without an expiry. */
  expires?: string;
  /** The same day a century earlier, when `expires` is in an unusually far future. */
  earlierExpires?: string;
  /** Three-letter code of ICAO for zones (`D` for Germany), or the state or province of a licence (`CA`, `ON`). */
  issuer: string;
  nationality?: string;
  sex?: 'F' | 'M' | 'X';
};

export type Confidence = Record<'documentNumber' | 'surname' | 'givenNames' | 'dateOfBirth' | 'expires' | 'issuer', number>;

/** A check of the standard: `number`, `birth`, `expiry`, `optional`, `composite`, `dates`, `issuer`, `structure`. `why` it fails, in words. */
export type Check = { name: string; passed: boolean; why?: string };

/** All but `longEdge` are measured in bands over half of the height of the picture. */
export type Quality = {
  /** Pixels of the upright picture. */
  longEdge: number;
  /** Laplacian energy over variance, 75th percentile of the tiles with contrast, at a long edge of 1000 px. */
  sharpness: number;
  /** Share of tiles that are saturated. */
  glare: number;
  /** Mean luminance, 0 to 1. */
  brightness: number;
  /** Difference of the 95th and 5th percentile of luminance, 0 to 1. */
  contrast: number;
  /** Text or bars touch the edge of the picture. A hint only. */
  cutOff: boolean;
  /** Measures that prove that nobody can read the picture; always empty when data was read. */
  faults: Fault[];
};

export type Fault = { measure: 'longEdge' | 'sharpness' | 'brightness' | 'contrast'; value: number; limit: number };
