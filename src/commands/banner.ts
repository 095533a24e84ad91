// The banner that `earmark serve` shows to a person at a terminal: where the service is, and what to try first.
import type { Mode } from '../config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

type Started = { url: string; port: number; mode: Mode; sandbox: Sandbox | undefined };

/** In a clone a script of package.json; in the installed package there is none. */
const DEMO = import.meta.filename.endsWith('.ts') ? 'npm run demo' : 'npx earmark demo';

/** The text of the banner. It holds the secret of a sandbox that was just made, so it is for a terminal only. */
export function bannerOf({ url, port, mode, sandbox }: Started): string {
  const rows = [
    ['Listens on', `port ${port}; its links begin with ${url} (${mode})`],
    ['Reference', `${url}/docs`],
    ...(sandbox ? [['Demo', `${DEMO}, in a second terminal`] as const, ['Credentials', sandbox.file] as const] : []),
  ] as const;
  const lines = rows.map(([name, value]) => `  ${name.padEnd(11)}  ${value}\n`);
  return `\nEarmark has started.\n\n${lines.join('')}\n${sandbox?.created ? welcome(sandbox) : ''}`;
}

function welcome({ credentials }: Sandbox): string {
  return `A sandbox account was made: one application with all scopes, a verified business customer with 1,000.00 USD available,
and two labels.

  client_id      ${credentials.client_id}
  client_secret  ${credentials.client_secret}

Move 25.00 USD from one label to the other, in a second terminal:

${REQUEST}

`;
}

/** To paste into a terminal. */
const REQUEST = `eval "$(npx earmark sandbox env)"
curl -i $BASE_URL/label-reallocations -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"_links": {"from": {"href": "'$FROM'"}, "to": {"href": "'$TO'"}}, "amount": {"value": "25.00", "currency": "USD"}}'`;
