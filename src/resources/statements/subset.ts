// Font files with only the glyphs and the weight that a PDF shows, made by HarfBuzz.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Face } from './fonts.ts';

/** Functions of `hb-subset.h`. Pointers are numbers. */
type Subsetter = Record<string, (...values: number[]) => number> & { memory: WebAssembly.Memory };

/** `hb_subset_flags_t`: no instructions for screens, glyphs keep their numbers, no glyphs that only shaping needs. */
const FLAGS = 0x1 | 0x2 | 0x200;
/** `HB_SUBSET_SETS_DROP_TABLE_TAG`, and the tables that a PDF does not use. */
const DROPPED = { set: 3, tables: ['GSUB', 'GPOS', 'GDEF', 'BASE', 'STAT', 'name', 'post', 'OS/2'] };
/** `HB_MEMORY_MODE_WRITABLE` */
const WRITABLE = 2;

let subsetter: Promise<Subsetter> | undefined;

export async function subset({ sfnt, weight }: Face, glyphs: Set<number>): Promise<Uint8Array> {
  subsetter ??= readSubsetter();
  const hb = await subsetter;
  const at = hb.malloc!(sfnt.length);
  new Uint8Array(hb.memory.buffer).set(sfnt, at);
  const blob = hb.hb_blob_create!(at, sfnt.length, WRITABLE, 0, 0);
  const face = hb.hb_face_create!(blob, 0);
  const input = hb.hb_subset_input_create_or_fail!();
  hb.hb_subset_input_set_flags!(input, FLAGS);
  const wanted = hb.hb_subset_input_glyph_set!(input);
  for (const id of glyphs) hb.hb_set_add!(wanted, id);
  const dropped = hb.hb_subset_input_set!(input, DROPPED.set);
  for (const tag of DROPPED.tables) hb.hb_set_add!(dropped, tagOf(tag));
  if (weight > 0) hb.hb_subset_input_pin_axis_location!(input, face, tagOf('wght'), weight);
  const result = hb.hb_subset_or_fail!(face, input);
  assert.notEqual(result, 0, 'the font cannot be subset');
  const bytes = hb.hb_face_reference_blob!(result);
  const start = hb.hb_blob_get_data!(bytes, 0);
  const copy = new Uint8Array(hb.memory.buffer).slice(start, start + hb.hb_blob_get_length!(bytes));
  for (const blobs of [bytes, blob]) hb.hb_blob_destroy!(blobs);
  for (const faces of [result, face]) hb.hb_face_destroy!(faces);
  hb.hb_subset_input_destroy!(input);
  hb.free!(at);
  return copy;
}

async function readSubsetter(): Promise<Subsetter> {
  const file = await readFile(fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm')));
  const { instance } = await WebAssembly.instantiate(file);
  const subsetter = instance.exports as Subsetter;
  subsetter._initialize!();
  return subsetter;
}

function tagOf(name: string): number {
  return Buffer.from(name).readUInt32BE();
}
