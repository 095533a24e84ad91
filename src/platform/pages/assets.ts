// Static files of the pages: read once, and served under a path with a hash of all of them, so that browsers keep them for a year.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import type { Document } from '../http/content.ts';
import { writeSprite } from './icon-sprite.ts';

type Asset = { content: Buffer; document: Document };

const FOLDER = new URL('assets/', PACKAGE_ROOT);
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const FONTS = {
  'inter-latin.woff2': 'inter-latin-wght-normal.woff2',
  'inter-latin-ext.woff2': 'inter-latin-ext-wght-normal.woff2',
};
const HASH_LENGTH = 12;

let opened: { hash: string; files: Map<string, Asset> } | undefined;

/** The URL of a file of `assets/`. Scripts may import each other by relative paths, because all files share the hash. */
export function assetUrl(name: string): string {
  const { hash, files } = openAssets();
  if (!files.has(name)) throw new Error(`There is no file assets/${name}.`);
  return `/assets/${hash}/${name}`;
}

/** `isCurrent`: whether the hash is that of this version. During an upgrade, pages of another process name another. */
export function findAsset(hash: string, name: string): (Asset & { isCurrent: boolean }) | undefined {
  const assets = openAssets();
  const asset = assets.files.get(name);
  return asset && { ...asset, isCurrent: hash === assets.hash };
}

function openAssets(): NonNullable<typeof opened> {
  opened ??= readAssets();
  return opened;
}

function readAssets(): NonNullable<typeof opened> {
  const fonts = new URL('./files/', import.meta.resolve('@fontsource-variable/inter/package.json'));
  const contents: [name: string, content: Buffer][] = [
    ...readdirSync(FOLDER).map((name): [string, Buffer] => [name, readFileSync(new URL(name, FOLDER))]),
    ...Object.entries(FONTS).map(([name, file]): [string, Buffer] => [name, readFileSync(new URL(file, fonts))]),
    ['icons.svg', Buffer.from(writeSprite())],
  ];
  const hash = createHash('sha256');
  for (const [name, content] of contents) hash.update(`${name} ${content.length} `).update(content);
  const files = contents.map(([name, content]): [string, Asset] => [
    name,
    { content, document: { mediaType: TYPES[extname(name)]! } },
  ]);
  return { hash: hash.digest('hex').slice(0, HASH_LENGTH), files: new Map(files) };
}
