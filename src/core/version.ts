// The version of the package, and of the Node.js that it needs.
import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from './package-root.ts';

type Manifest = { version: string; engines: { node: string } };

const { version, engines } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as Manifest;

export const VERSION = version;
/** The oldest major version. */
export const NODE_MAJOR = Number.parseInt(/[0-9]+/.exec(engines.node)![0], 10);
