// Reads the environment, and secrets from the files that it names.
import { readFileSync } from 'node:fs';

export type Environment = {
  /** The trimmed text of a setting; undefined if it is unset or empty. */
  text(name: string): string | undefined;
  /** Where the text comes from, with the file that a setting with the suffix _FILE names; undefined if there is none. */
  source(name: string): { isOverride: boolean; file?: string } | undefined;
  /** The names in the environment, without the overrides. */
  names: string[];
  /** Secrets that cannot be read, one sentence each. */
  faults: string[];
};

/** Reads the environment under `overrides`, which take precedence. `secrets` names the settings that can be read from a file. */
export function readEnvironment(overrides: Record<string, string>, secrets: string[]): Environment {
  const env = environmentUnder(overrides, secrets);
  const faults: string[] = [];
  const contents = readFiles(env, secrets, faults);
  const source = (name: string) => {
    if (env[name]?.trim()) return { isOverride: name in overrides };
    const [pointer, file] = [`${name}_FILE`, env[`${name}_FILE`]?.trim()];
    return secrets.includes(name) && file ? { isOverride: pointer in overrides, file } : undefined;
  };
  const text = (name: string) => (contents.get(name) ?? env[name])?.trim() || undefined;
  return { text, source, names: Object.keys(process.env), faults };
}

/** Where systemd expects notifications of this process, and how often those of its watchdog (sd_notify(3), sd_watchdog_enabled(3)). */
export function readNotification(): { socket: string | undefined; path: string; watchdogMs: number | undefined } {
  const { NOTIFY_SOCKET, PATH = '', WATCHDOG_USEC, WATCHDOG_PID } = process.env;
  const isWatched = Number(WATCHDOG_USEC) > 0 && (WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid);
  return { socket: NOTIFY_SOCKET || undefined, path: PATH, watchdogMs: isWatched ? Number(WATCHDOG_USEC) / 1000 : undefined };
}

/** Merges overrides into the environment. An override of a secret also replaces its _FILE setting, and vice versa. */
function environmentUnder(overrides: Record<string, string>, secrets: string[]): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of secrets) {
    if (name in overrides) delete env[`${name}_FILE`];
    if (`${name}_FILE` in overrides) delete env[name];
  }
  return { ...env, ...overrides };
}

/** Reads secrets from files, as orchestrators mount them, by name of the setting. */
function readFiles(env: NodeJS.ProcessEnv, secrets: string[], faults: string[]): Map<string, string> {
  const contents = new Map<string, string>();
  for (const name of secrets) {
    const file = env[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set. Set only one.`);
    try {
      contents.set(name, readFileSync(file, 'utf8'));
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}.`);
    }
  }
  return contents;
}
