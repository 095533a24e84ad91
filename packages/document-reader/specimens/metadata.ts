// Metadata of JPEG files, as programs write it: EXIF, XMP and image resources.

/** Names that cameras, scanners, viewers and messengers write. They save a picture as it is, or turn it. */
export const HONEST_PROGRAMS = [
  ...['17.1.2', 'HDR+ 1.0.540104767zd', 'S918BXXU3BWK5', 'MediaTek Camera Application', 'Ver.1.00', 'DMC-GX80 1.2'],
  ...['Picasa', 'Google', 'Microsoft Windows Photo Viewer 10.0.19041.1', 'Windows Photo Editor 10.0.10011.16384', 'Instagram'],
  ...['EPSON Scan 2', 'VueScan 9 x64 (9.7.67)', 'CamScanner', 'Adobe Scan for iOS', 'Photos 9.0', 'Skanlite 22.08'],
];
/** Names that editors write. The reader does not know all of them. */
export const EDITING_PROGRAMS = [
  ...['Adobe Photoshop 25.1 (Windows)', 'Adobe Photoshop CC 2019 (Macintosh)', 'Adobe Photoshop Lightroom 6.14 (Macintosh)'],
  ...[
    'Adobe Photoshop Express (Android)',
    'Adobe Photoshop Elements 15.0',
    'GIMP 2.10.36',
    'paint.net 5.0.11',
    'Pixelmator Pro 3.4',
  ],
  ...['Affinity Photo 2.4.0', 'Snapseed 2.0', 'PicsArt', 'Canva', 'Photopea', 'Pixlr', 'Krita 5.2', 'PhotoScape', 'Luminar 4'],
  ...[
    'Capture One 23 Windows',
    'darktable 4.6.0',
    'RawTherapee 5.9',
    'Fotor',
    'FaceApp',
    'Polarr',
    'PhotoDirector 14',
    'PaintShop Pro 2023',
  ],
  ...['ON1 Photo RAW 2024', 'Zoner Photo Studio X', 'Photo Pos Pro', 'Movavi Picverse', 'PhotoImpact', 'Exposure X7'],
];
export type Place = 'exif' | 'xmp';

/** Adds metadata to a JPEG. The pixels stay the same. `isPhone`: beside it what phones and messengers add, with the name of an editor's schema. */
export function withMetadata(
  jpeg: Buffer,
  { program, place, isPhone }: { program: string; place: Place; isPhone: boolean },
): Buffer {
  const parts: Record<Place, () => Buffer> = {
    exif: () => segment(0xe1, exif(program)),
    xmp: () => segment(0xe1, xmp(`xmp:CreatorTool="${program}"`)),
  };
  const phone = [
    segment(0xe1, xmp('photoshop:DateCreated="2026-11-22"')),
    segment(0xed, Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\0', 'latin1')),
  ];
  return Buffer.concat([jpeg.subarray(0, 2), ...(isPhone && place !== 'xmp' ? phone : []), parts[place](), jpeg.subarray(2)]);
}

export function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** One entry: Software (0x131), ASCII, behind the directory. */
function exif(program: string): Buffer {
  const text = Buffer.from(`${program}\0`);
  const tiff = Buffer.alloc(26);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(0x131, 10);
  tiff.writeUInt16LE(2, 12);
  tiff.writeUInt32LE(text.length, 14);
  tiff.writeUInt32LE(26, 18);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, text]);
}

function xmp(attribute: string): Buffer {
  const schemas = 'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"';
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${schemas} ${attribute}/></rdf:RDF>`;
  return Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta>`, 'latin1');
}
