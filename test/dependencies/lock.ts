// Reads the lock file and finds faults in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

export type Locked = {
  version?: string;
  license?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
};
export type Lock = { packages: Record<string, Locked> };
export type Manifest = { allowScripts?: Record<string, boolean> };

/** Licences of production dependencies: permissive, or like the LGPL of libvips free to be linked. Words of SPDX expressions. */
const LICENCES = new Set([
  ...[
    'MIT',
    'MIT/X11',
    'MIT-0',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'Unlicense',
    // Fonts.
    'OFL-1.1',
  ],
  ...['LGPL-3.0-or-later', 'OFL-1.1', 'PostgreSQL', 'Python-2.0', 'Zlib'],
]);
/** Packages whose manifest does not name the licence of their LICENSE file. */
const LICENCE_FILES: Record<string, string> = { 'png-js': 'MIT' };

/** The packages of the project's lock file, and its manifest. */
export function readLock(): { lock: Lock; manifest: Manifest } {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  return { lock: read('package-lock.json'), manifest: read('package.json') };
}

/** Faults of the installed packages; one line each. */
export function findFaults({ packages }: Lock, { allowScripts = {} }: Manifest): string[] {
  const allowed = new Set(Object.keys(allowScripts).filter((name) => allowScripts[name]));
  const faults: string[] = [];
  const scripted = new Set<string>();
  for (const [path, locked] of Object.entries(packages)) {
    if (path === '' || isOwn(path, locked)) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const prefix = `${name} ${locked.version}`;
    if (locked.link || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(locked.integrity ?? ''))
      faults.push(`${prefix}: no digest of what is installed`);
    if (locked.resolved !== undefined) faults.push(`${prefix}: has a download address`);
    const licence = locked.license ?? LICENCE_FILES[name];
    if (!locked.dev && !isFree(licence)) faults.push(`${prefix}: licence ${licence ?? 'unknown'}`);
    if (!locked.hasInstallScript) continue;
    scripted.add(name);
    if (!allowed.has(name)) faults.push(`${prefix}: runs a script when it is installed`);
  }
  for (const name of allowed)
    if (!scripted.has(name)) faults.push(`${name}: may run a script when it is installed, and has none`);
  return faults;
}

/** A package of the repository itself, and the link to it. */
function isOwn(path: string, { link, resolved }: Locked): boolean {
  const folder = link ? resolved : path;
  return folder !== undefined && /^packages\/[a-z-]+$/.test(folder);
}

function isFree(expression: string | undefined): boolean {
  const parts = expression?.replace(/[()]/g, '').split(/ AND /) ?? [];
  return parts.length > 0 && parts.every((part) => part.split(/ OR /).some((word) => LICENCES.has(word)));
}
