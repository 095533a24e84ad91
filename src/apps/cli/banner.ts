// The banner of `earmark serve` on a terminal: the address of the service, and first steps.
import type { Mode } from '../../platform/config/config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export type Started = { url: string; port: number; mode: Mode; sandbox: Sandbox | undefined; consoleLink: string | undefined };

/** In a clone a script of package.json; the installed package has no scripts. */
const DEMO = import.meta.filename.endsWith('.ts') ? 'npm run demo' : 'npx earmark demo';

/** Returns the banner. It contains the secret of a newly created sandbox, so print it on a terminal only. */
export function bannerOf({ url, port, mode, sandbox, consoleLink }: Started): string {
  const rows = [
    ['Listens on', `port ${port}, base URL ${url} (${mode})`],
    ['Reference', `${url}/docs`],
    ...(consoleLink ? [['Console', `${consoleLink} (works once, for 15 minutes)`] as const] : []),
    ...(sandbox ? [['Demo', `${DEMO}, in a second terminal`] as const, ['Credentials', sandbox.file] as const] : []),
  ] as const;
  const lines = rows.map(([name, value]) => `  ${name.padEnd(11)}  ${value}\n`);
  return `\nEarmark has started.\n\n${lines.join('')}\n${sandbox?.created ? welcome(sandbox) : ''}`;
}

function welcome({ credentials }: Sandbox): string {
  return `A sandbox account was created: one application with all scopes, a verified business customer with 1,000.00 USD available,
and two labels.

  client_id      ${credentials.client_id}
  client_secret  ${credentials.client_secret}

Move 25.00 USD from one label to the other, in a second terminal:

${REQUEST}

`;
}

/** For pasting into a terminal. */
const REQUEST = `eval "$(npx earmark sandbox env)"
curl -i $BASE_URL/label-reallocations -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"_links": {"from": {"href": "'$FROM'"}, "to": {"href": "'$TO'"}}, "amount": {"value": "25.00", "currency": "USD"}}'`;
