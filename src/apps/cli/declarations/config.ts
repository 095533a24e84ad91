// Declarations of `earmark config check` and `earmark health`.
import { command } from '../command.ts';

export const configCheck = command({
  name: 'config check',
  about: 'Shows the effective settings and where each comes from, and names invalid values and misspelled names.',
  detail:
    'It reads the environment, and the files that it names, as `earmark serve` does. Secrets are hidden. A name in the environment is reported if it resembles a setting, and a name in --file if it is not a setting. Needs no database.',
  options: {
    file: { value: 'FILE', about: 'also reads settings from this file: lines of NAME=value, as for systemd and Docker' },
  },
  examples: ['earmark config check', 'earmark config check --file /etc/earmark/environment'],
  exits: { 1: 'a value is invalid, or a name is not a setting' },
  run: async (call) => (await import('../config-check.ts')).check(call),
});

export const health = command({
  name: 'health',
  about: 'Asks a running service whether it is live and ready, and prints the checks.',
  options: {
    url: { value: 'URL', about: 'the service', fallback: 'http://HOST:PORT of the settings' },
  },
  examples: ['earmark health', 'earmark health --url https://pay.example.com --json'],
  exits: { 1: 'it is not ready; the output says why', 2: 'it does not respond, or invalid arguments' },
  run: async (call) => (await import('../health.ts')).health(call),
});
