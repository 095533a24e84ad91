// Links between the libraries of the embedded server. A npm package cannot contain links, so its install script makes them.
import { lstat, mkdir, readFile, readlink, rename, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { unless } from './errors.ts';

type Link = { source: string; target: string };

/** The package's list of its links, as paths from its root. */
const LIST = 'native/pg-symlinks.json';

/**
 * Makes the links that are missing because npm did not run the install script (--ignore-scripts): in the package, or in `folder` if the
 * package cannot be written. Returns the environment with which the programs find the libraries.
 */
export async function linkLibraries(packageRoot: string, folder: string): Promise<Record<string, string>> {
  const links = JSON.parse((await readFile(join(packageRoot, LIST), 'utf8').catch(unless('ENOENT'))) ?? '[]') as Link[];
  const found = await Promise.all(links.map(({ target }) => lstat(join(packageRoot, target)).catch(unless('ENOENT'))));
  if (found.every((link) => link !== undefined)) return {};
  try {
    for (const { source, target } of links) {
      const to = relative(dirname(target), source);
      await symlink(to, join(packageRoot, target)).catch(unless('EEXIST'));
    }
    return {};
  } catch {
    await mkdir(folder, { recursive: true });
    for (const { source, target } of links) await replaceLink(join(packageRoot, source), join(folder, basename(target)));
    // A library that is found by its link looks for others beside the link, and not all of these have one.
    const path = [folder, ...new Set(links.map(({ source }) => join(packageRoot, dirname(source))))].join(delimiter);
    return { LD_LIBRARY_PATH: path, DYLD_FALLBACK_LIBRARY_PATH: path };
  }
}

/** Makes a link, or replaces one that leads to an earlier installation: at once, because another process may be starting. */
async function replaceLink(source: string, link: string): Promise<void> {
  if ((await readlink(link).catch(unless('ENOENT'))) === source) return;
  const draft = `${link}.${process.pid}`;
  await symlink(source, draft).catch(unless('EEXIST'));
  await rename(draft, link);
}
