// Texts of the OpenAPI document: its description and the security schemes.

export const description = `A payments API: customer balances divided into labels, and amounts moved between them.

**Start** with \`POST /token\`, then follow the links of \`GET /\`. A link for an action is present only while the action is allowed.

**Amounts** are strings (\`"10.50"\`), never numbers. **Times** are UTC with milliseconds. Optional members are omitted, never \`null\`.

**Retries.** Send an \`Idempotency-Key\` with every POST. You can then repeat the request safely: it has one effect and one response.

**New resources.** A 201 has their \`Location\`. Its body is empty if the response has no \`content\` in this document; with
\`Prefer: return=representation\` it is the resource, as \`x-representation\` describes it.

**Errors** have a \`code\` for programs and a \`message\` for people. A \`ValidationError\`, and a \`BadRequest\` for a body, list each
refused value in \`_embedded.errors\`, with a JSON pointer to it. Every response has an \`X-Request-Id\`: yours, if you send a UUID.

**Unknown members** of a body are refused, except by operations on customers, beneficial owners and webhook subscriptions: these accept
them, and refuse only names that differ from a known one by case, hyphens, underscores or one letter.

Requests that match no operation get errors in the same format: malformed HTTP (400), an unknown path (404), a method that the path does
not support (405), a request that takes too long to arrive (408), headers that are too large (431).`;

const scopes = {
  read: 'Read all resources of the account.',
  write: 'Create, change and remove resources.',
  funds: 'Record deposits and withdrawals.',
  review: 'Decide on documents.',
};

export const securitySchemes = {
  application: {
    type: 'oauth2' as const,
    description:
      'An access token from the client credentials grant, in `Authorization: Bearer`. Each operation names its required scope.',
    flows: { clientCredentials: { tokenUrl: '/token', scopes } },
  },
  client: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'The client_id and client_secret of an application. They can also be sent as form parameters.',
  },
};
