// The migrations of this version, and the comparison with those that a database or a backup has.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import { UserError } from '../../core/user-error.ts';

/** This version cannot use the database. The message is one line. */
export class SchemaError extends UserError {}

export type Migration = { name: string; sql: string; digest: string };

/** What a database stores of a migration. `digest`: SHA-256 of its text, in hex; null before it was stored. */
export type Applied = { name: string; digest: string | null };

export const FOLDER = new URL('migrations/', PACKAGE_ROOT);
const DIGITS_SHOWN = 12;
/** A slot of a template: its name in double braces. */
const SLOT = /\{\{(\w+)\}\}/g;

/** Fills slots of a template with names or parts of statements. */
export function renderTemplate(template: string, slots: Record<string, string>): string {
  return template.replaceAll(SLOT, (slot, name: string) => slots[name] ?? slot);
}

/** A template for a single server, where each slot is its own name. */
function renderForOneServer(template: string): string {
  return template.replaceAll(SLOT, '$1');
}

/** Returns the migrations of a folder, in their order. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return { name, sql: renderForOneServer(text), digest: hash('sha256', text, 'hex') };
  });
}

/** Throws a SchemaError that names the first applied migration which this version does not have, or has with other contents. */
export function requireKnown(applied: Applied[], known: Migration[] = readMigrations()): void {
  const newest = numberOf(known.at(-1)?.name ?? '');
  for (const { name, digest } of applied) {
    const same = known.find((migration) => migration.name === name);
    if (!same && digest !== null && numberOf(name) > newest)
      throw new SchemaError(`The database was migrated by a newer version of Earmark (${name}). Start that version instead.`);
    if (!same || digest === null)
      throw new SchemaError(
        `The database was made by an older version of Earmark, from before the first release, which cannot be migrated (${name}). Start that version instead.`,
      );
    if (digest !== same.digest)
      throw new SchemaError(
        `The migration ${name} of the database has other contents than that of this version (SHA-256 ${shortened(digest)}, not ${shortened(same.digest)}). Start the version that made it.`,
      );
  }
}

/** Migrations sort by their number: a development version had other names for the same ones. */
function numberOf(name: string): number {
  return Number.parseInt(name, 10) || 0;
}

function shortened(digest: string): string {
  return `${digest.slice(0, DIGITS_SHOWN)}…`;
}
