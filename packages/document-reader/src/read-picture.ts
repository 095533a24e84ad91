// Reads a picture of an identity document: machine-readable zone or barcode, quality and perceptual hashes.
import { prepareBarcodes, readBarcode } from './barcode.ts';
import type { Quad } from './barcode-place.ts';
import { CELL_SIZE } from './cell.ts';
import { classify } from './classifier.ts';
import { fingerprint, NO_FINGERPRINT } from './fingerprint.ts';
import { findHints } from './hints.ts';
import { parseLicence } from './licence.ts';
import { portraitOf } from './portrait.ts';
import { findPresence } from './presence.ts';
import { measureQuality, NO_QUALITY } from './quality.ts';
import { decode, type Raster } from './raster.ts';
import type { DocumentType, Read, Reading, Unread } from './reading.ts';
import { readZone, showsTwo } from './zone.ts';

const LONG_EDGE_PX = 2600;
/** Above what 99 % of readable specimens need; together far below the limit of CPU time of the process pool. */
const ZONE_EFFORT_MS = 600;
const BARCODE_EFFORT_MS = 1000;

/** `original`: the file as it was sent, if what is read is a copy without metadata. */
type About = { type: DocumentType; today: string; original?: Uint8Array };

/**
 * Reads a JPEG or PNG. The type selects what is tried first, and nothing else; `today`, YYYY-MM-DD, the century of two-digit years.
 * Pure: the same picture gives the same reading. The caller limits time and memory, and the loaders of sharp.
 */
export async function readPicture(file: Uint8Array, { type, today, original = file }: About): Promise<Reading> {
  const picture = await decode(file, LONG_EDGE_PX).catch(() => undefined);
  if (!picture) return { kind: 'none', cause: 'undecodable', quality: NO_QUALITY, fingerprint: NO_FINGERPRINT };
  const { grey } = picture;
  const { data, symbol } = await readData(grey, { type, today });
  const [quality, hash] = [await measureQuality(grey, data.kind !== 'none'), await fingerprint(grey)];
  const hints = await findHints({ kind: data.kind, picture, original });
  if (data.kind === 'none' || !data.verified) return { ...data, quality, fingerprint: hash, hints };
  const portrait = await portraitOf(grey, data);
  const presence = findPresence({ picture, read: data, symbol });
  return { ...data, quality, fingerprint: hash, hints, ...(portrait !== undefined && { portrait }), presence };
}

/** Loads weights and barcode library, so that the first picture does not wait for them. */
export async function warmUp(): Promise<void> {
  classify(new Float32Array(CELL_SIZE), 0, false);
  await prepareBarcodes();
}

/** `symbol`: where the barcode is that was read. */
type Found = { data: Read | Unread; symbol?: Quad | undefined };

/** Zones are verified or give hints; a barcode is read completely or not at all. */
async function readData(picture: Raster, { type, today }: { type: DocumentType; today: string }): Promise<Found> {
  const tryZone = () => readZone(picture, { today, effort: { leftMs: ZONE_EFFORT_MS } });
  const tryBarcode = () => readBarcode(picture, { parse: parseLicence, effort: { leftMs: BARCODE_EFFORT_MS } });
  if (type === 'license') {
    const { parsed, corners, seen } = await tryBarcode();
    if (parsed) return { data: parsed, symbol: corners };
    return { data: (await tryZone()) ?? { kind: 'none', cause: seen ? 'noData' : 'noBarcode' } };
  }
  const zone = await tryZone();
  if (zone && (zone.verified || showsTwo(zone))) return { data: zone };
  const { parsed, corners } = type === 'idCard' ? await tryBarcode() : { parsed: undefined, corners: undefined };
  if (parsed) return { data: parsed, symbol: corners };
  return { data: zone ?? { kind: 'none', cause: 'noMachineReadableZone' } };
}
