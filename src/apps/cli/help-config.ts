// `earmark help config`: all settings, and the settings of the embedded server on this machine.
import { SECRETS, settings } from '../../platform/config/config.ts';
import { type Machine, sizeSettings, thisMachine } from '../../platform/db/embedded/settings.ts';
import { quiet } from './output.ts';

const MEGABYTE = 2 ** 20;

/** The settings as JSON data. */
export function settingsData(): object {
  return { settings, embeddedServer: sizeSettings(thisMachine()) };
}

/** The settings as text. */
export function settingsText(): string {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  const lines = settings.map(
    ({ name, fallback, about }) => `  ${name.padEnd(width)}  ${about}\n  ${' '.repeat(width)}  ${quiet(`default: ${fallback}`)}`,
  );
  const files = `Each of ${SECRETS.join(', ')} can also be read from a file: set the same name with the suffix _FILE to its path.`;
  return `Settings are read from the environment.\n\n${lines.join('\n')}\n\n${files}\n\n${serverTable(thisMachine())}`;
}

function serverTable(machine: Machine): string {
  const sized = Object.entries(sizeSettings(machine));
  const width = Math.max(...sized.map(([name]) => name.length));
  const memoryMb = Math.floor(machine.memoryBytes / MEGABYTE).toLocaleString('en');
  const lines = sized.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const size = `${memoryMb} MB of memory, ${machine.cpus} processor${machine.cpus === 1 ? '' : 's'}`;
  return `The embedded server on this machine (${size}):\n\n${lines.join('\n')}\n`;
}
