// `earmark config check`: the effective settings with their sources, invalid values, and names that are not settings.
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearMiss } from '../../core/nearest-name.ts';
import { type Config, ConfigError, readConfig, requirePublicUrl, SECRETS } from '../../platform/config/config.ts';
import { withoutSecrets } from '../../platform/config/database-url.ts';
import { readEnvironment } from '../../platform/config/environment.ts';
import type { Setting } from '../../platform/config/setting.ts';
import { table } from '../../platform/config/table.ts';
import { CallError } from './command.ts';
import { bad, good, print, printTable } from './output.ts';
import { suggestion } from './read-call.ts';

type Options = { file: string | undefined };
type Shown = { setting: string; value: string; source: string };
type Unknown = { name: string; source: string; hint: string };

const ENVIRONMENT = 'environment';
const DEFAULT = 'default';
/** Names of the commands, of Node.js, PostgreSQL and the system, which are not settings. */
const OTHERS =
  /^(EARMARK_CLIENT_(ID|SECRET|SECRET_FILE)|NODE|NODE_.*|NO_COLOR|PG[A-Z]+|TZ|LANG|LC_.*|PATH|HOME|USER|SSL_CERT_.*|npm_.*)$/;
const SEE_ALL = 'See `earmark help config`.';
const LONG_LETTERS = 8;
const PREFIX = /^EARMARK_/i;

const rows = Object.entries<Setting>(table);
const known = rows.map(([, { name }]) => name);

export async function check({ options: { file }, json }: { options: Options; json: boolean }): Promise<number> {
  const given = file === undefined ? {} : readSettingsFile(file);
  const { config, faults } = readWith(given);
  const { text, source, names } = readEnvironment(given, SECRETS);
  const sourceOf = (name: string) => {
    const found = source(name);
    if (!found) return DEFAULT;
    const from = found.isOverride ? file! : ENVIRONMENT;
    return found.file === undefined ? from : `${from}: ${name}_FILE ${found.file}`;
  };
  const settings = rows.map(([member, row]) => ({
    setting: row.name,
    value: shownValue(row, text(row.name), config?.[member as keyof Config]),
    source: sourceOf(row.name),
  }));
  const unknown = [...findUnknown(Object.keys(given), file), ...findResembling(names, given)];
  const isValid = faults.length === 0 && unknown.length === 0;
  if (json) print({ valid: isValid, settings, faults, unknown }, true);
  else printAll({ settings, faults, unknown });
  if (file === undefined && existsSync('.env') && !json)
    process.stdout.write('Earmark does not read the .env in this folder. To check it: earmark config check --file .env\n');
  return isValid ? 0 : 1;
}

function readSettingsFile(file: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    throw new CallError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** The faults with which `earmark serve` would refuse to start. */
function readWith(given: Record<string, string>): { config: Config | undefined; faults: string[] } {
  let config: Config | undefined;
  try {
    config = readConfig(given);
    requirePublicUrl(config);
    return { config, faults: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { config, faults: error.message.split('\n') };
    throw error;
  }
}

function shownValue({ name, fallback, shown = fallback! }: Setting, text: string | undefined, effective: unknown): string {
  if (SECRETS.includes(name)) return text === undefined ? shown : hidden(name, text);
  if (Array.isArray(effective) && effective.length > 0) return effective.join(',');
  if (['string', 'number', 'boolean'].includes(typeof effective)) return printable(String(effective));
  return printable(text ?? shown);
}

/** Shows of a secret that it is set, and of DATABASE_URL everything before its parameters except for the password. */
function hidden(name: string, text: string): string {
  return printable((name === 'DATABASE_URL' && withoutSecrets(text)) || '(set)');
}

/** Control characters could manipulate the terminal. */
function printable(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}

function isKnown(name: string): boolean {
  return known.includes(name) || SECRETS.some((secret) => name === `${secret}_FILE`) || OTHERS.test(name);
}

/** The names of a file of settings that are not settings. */
function findUnknown(names: string[], file: string | undefined): Unknown[] {
  return names
    .filter((name) => !isKnown(name))
    .map((name) => ({ name, source: file!, hint: suggestion(plain(name), known) ?? SEE_ALL }));
}

/** The names of the environment that resemble a setting: most others belong to other programs. */
function findResembling(names: string[], given: Record<string, string>): Unknown[] {
  const others = names.filter((name) => !isKnown(name) && !(name in given));
  return others.flatMap((name) => {
    const plainSetting = known.find((one) => name === `${one}_FILE`);
    if (plainSetting !== undefined)
      return [{ name, source: ENVIRONMENT, hint: `Only secrets can be in files: set ${plainSetting}.` }];
    const setting = known.find((one) => resembles(plain(name), one));
    if (setting === undefined && !PREFIX.test(name)) return [];
    return [{ name, source: ENVIRONMENT, hint: setting === undefined ? SEE_ALL : `Did you mean ${setting}?` }];
  });
}

/** The same letters, in any order of a long name, or one other letter in it: HOME is not a misspelled HOST. */
function resembles(name: string, setting: string): boolean {
  const [given, wanted] = [lettersOf(name), lettersOf(setting)];
  if (given === wanted) return true;
  if (wanted.length < LONG_LETTERS) return false;
  return [...given].sort().join('') === [...wanted].sort().join('') || nearMiss(name, [setting]) !== undefined;
}

function plain(name: string): string {
  return name.replace(PREFIX, '');
}

function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

function printAll({ settings, faults, unknown }: { settings: Shown[]; faults: string[]; unknown: Unknown[] }): void {
  printTable(settings, '');
  process.stdout.write('\n');
  for (const fault of faults) process.stdout.write(`${bad('invalid')}  ${fault}\n`);
  for (const { name, source, hint } of unknown)
    process.stdout.write(`${bad('unknown')}  ${name} (${source}) is not a setting. ${hint}\n`);
  if (faults.length + unknown.length === 0) process.stdout.write(`${good('valid')}  All settings are valid.\n`);
}
