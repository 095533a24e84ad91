// Paths of the repository and of the command line's entry file.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CLI = join(ROOT, 'src/apps/cli/cli.ts');

/** Makes the packages of the repository importable in a folder, as an installation would. */
export function installLinks(folder: string): void {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/earmark'));
  symlinkSync(join(ROOT, 'node_modules/@earmark'), join(folder, 'node_modules/@earmark'));
}
