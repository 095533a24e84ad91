// Hints of a picture for a person: a screen, no colour, and an editor in the metadata. None is a proof, and nothing may be decided by one.
import sharp, { type Metadata } from 'sharp';
import { type ColourRaster, MAX_PIXELS, meanColour, type Picture } from './raster.ts';
import { HINTS, type Hint, type Reading } from './reading.ts';
import { showsScreen } from './screen.ts';

/** `original`: the file as it was sent, because only it has metadata. */
type Seen = { kind: Reading['kind']; picture: Picture; original: Uint8Array };

const SMALL_PX = 160;
/** The middle of a picture has no colour if in nearly all its pixels the channels differ by less, also for their light. Paper and skin have a tint. */
const MARGIN = 0.2;
const COLOUR = { difference: 4, ofLight: 0.039, shareMost: 0.02 };
/** Longer metadata is not from a camera or an editor. */
const METADATA_CHARACTERS = 256 * 1024;
const EDITORS =
  /photoshop|lightroom|gimp|affinity|pixelmator|paint\.net|paint ?shop|canva|picsart|snapseed|photopea|pixlr|corel|inkscape|krita|imagemagick|photoscape|photodirector|capture one|darktable|rawtherapee|luminar|polarr|fotor|befunky|picmonkey|facetune|faceapp|meitu|beautyplus/i;
/** Where XMP names programs. Elsewhere it has names of schemas, and pictures of phones have one of Photoshop. */
const PROGRAMS = /(?:CreatorTool|softwareAgent|Software)(?:="|>)([^"<]{1,100})/g;

/** The caller limits time and memory. */
export async function findHints({ kind, picture: { grey, colour }, original }: Seen): Promise<Hint[]> {
  const found: Record<Hint, boolean> = {
    screen: showsScreen(grey),
    // The back of a licence is black on white.
    greyCopy: kind !== 'aamva' && isColourless(colour),
    editor: (await programsIn(original)).some((text) => EDITORS.test(text)),
  };
  return HINTS.filter((hint) => found[hint]);
}

function isColourless(picture: ColourRaster): boolean {
  const factor = Math.ceil(Math.max(picture.width, picture.height) / SMALL_PX);
  const [width, height] = [Math.floor(picture.width / factor), Math.floor(picture.height / factor)];
  const mean = new Float32Array(3);
  const [left, top] = [Math.floor(width * MARGIN), Math.floor(height * MARGIN)];
  let [pixels, coloured] = [0, 0];
  for (let y = top; y < height - top; y++) {
    for (let x = left; x < width - left; x++, pixels++) {
      meanColour(picture, { x, y, factor }, mean, 0);
      const light = Math.max(mean[0]!, mean[1]!, mean[2]!);
      if (light - Math.min(mean[0]!, mean[1]!, mean[2]!) > Math.max(COLOUR.difference, COLOUR.ofLight * light)) coloured++;
    }
  }
  return coloured <= COLOUR.shareMost * pixels;
}

/** What may name the program that wrote a file: EXIF, which has no other long texts, values of XMP, and texts of a PNG. None if it is damaged. */
async function programsIn(original: Uint8Array): Promise<string[]> {
  const read = sharp(original, { limitInputPixels: MAX_PIXELS }).metadata();
  const { exif, xmp, comments = [] } = await read.catch((): Partial<Metadata> => ({}));
  const textOf = (bytes?: Buffer) => bytes?.subarray(0, METADATA_CHARACTERS).toString('latin1') ?? '';
  const named = [...textOf(xmp).matchAll(PROGRAMS)].map(([, program]) => program!);
  return [textOf(exif), ...named, ...comments.map(({ text }) => text.slice(0, METADATA_CHARACTERS))];
}
