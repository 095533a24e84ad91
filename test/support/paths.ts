// Paths of the repository and of the command line's entry file.
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CLI = join(ROOT, 'src/apps/cli/cli.ts');
