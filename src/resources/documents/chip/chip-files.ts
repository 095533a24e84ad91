// The files of a chip (ICAO Doc 9303 part 10) as an app reads and uploads them, and the form in which they are sealed.

/** EF.SOD with the signature of the state, DG1 with the machine-readable zone, and data groups that the upload may have. */
export type ChipFiles = { sod: Uint8Array; dg1: Uint8Array } & Partial<Record<'dg2' | 'dg11' | 'dg14', Uint8Array>>;
export type ChipFileName = keyof ChipFiles;

/** The longest file of each kind. Those of issued documents are at most a quarter of it. */
export const CHIP_FILE_BYTES_MAX: Record<ChipFileName, number> = {
  sod: 256 * 1024,
  dg1: 1024,
  dg2: 5 * 1024 * 1024,
  dg11: 64 * 1024,
  dg14: 64 * 1024,
};

export const CHIP_FILE_NAMES = Object.keys(CHIP_FILE_BYTES_MAX) as ChipFileName[];

export function packChip(files: ChipFiles): Buffer {
  const named = CHIP_FILE_NAMES.flatMap((name) => (files[name] ? [[name, Buffer.from(files[name]).toString('base64')]] : []));
  return Buffer.from(JSON.stringify(Object.fromEntries(named)));
}

export function unpackChip(packed: Buffer): ChipFiles {
  const named = JSON.parse(packed.toString()) as Record<ChipFileName, string>;
  const files = Object.entries(named).map(([name, base64]) => [name, new Uint8Array(Buffer.from(base64, 'base64'))]);
  return Object.fromEntries(files) as ChipFiles;
}
