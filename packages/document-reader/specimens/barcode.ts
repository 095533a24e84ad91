// Writes PDF417 symbols with the proportions of real licences.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import type { Barcode } from './pages.ts';
import type { Random } from './random.ts';

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
let isPrepared = false;

export async function pdf417(random: Random, text: string): Promise<Barcode> {
  if (!isPrepared) prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
  isPrepared = true;
  const options = `columns=${random.int(11, 14)},ecLevel=${random.pick([4, 5])}`;
  const { image, error } = await writeBarcode(text, { format: 'PDF417', options, scale: 3, addQuietZones: true });
  if (!image) throw new Error(`the barcode was not written: ${error}`);
  const png = Buffer.from(await image.arrayBuffer());
  return { png, width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
