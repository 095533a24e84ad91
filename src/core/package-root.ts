// The folder of the package, in a clone and as installed: what is not code is found from it.
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

export const PACKAGE_ROOT = new URL('.', pathToFileURL(findPackageJSON(import.meta.url)!));
