// What the OpenAPI document says of the whole: conventions that hold everywhere, groups of operations, and security.

export const about = `A payments API: customer balances divided into labels, and amounts moved between them.

**Start** with \`POST /token\`, then follow links from \`GET /\`. A link for an action is there only while that action is legal now.

**Amounts** are text (\`"10.50"\`), never numbers. **Times** are UTC with milliseconds. What is optional is left out, never \`null\`.

**Repeating.** Send an \`Idempotency-Key\` with every POST and repeat it as often as you like: one effect, one answer.

**Refusals** have a \`code\` for programs and a \`message\` for people. A \`ValidationError\` names each refused value in
\`_embedded.errors\`, with a JSON pointer to it. Every answer carries \`X-Request-Id\`: yours, when you send a UUID.

A request that reaches no operation is told so in the same form: unreadable HTTP (400), an unknown path (404), a method that a path does
not have (405), a request that takes too long to arrive (408), headers that are too large (431).`;

export const tags = [
  { name: 'authentication', description: 'Access tokens: issued, ended and looked into.' },
  { name: 'root', description: 'Where everything begins.' },
  { name: 'accounts', description: 'Platforms, which own everything else.' },
  { name: 'customers', description: 'Who holds money.' },
  { name: 'deposits', description: 'Money that entered.' },
  { name: 'withdrawals', description: 'Money that left.' },
  { name: 'labels', description: 'Named parts of the balance of a customer.' },
  { name: 'ledger entries', description: 'What changed a label, one by one.' },
  { name: 'label reallocations', description: 'Amounts moved from one label to another.' },
  {
    name: 'beneficial owners',
    description: 'People who own a part of a business, and the certification that they are all named.',
  },
  { name: 'documents', description: 'Identity documents, and the decisions on them.' },
  { name: 'events', description: 'What happened.' },
  { name: 'webhooks', description: 'Being told of what happens.' },
  { name: 'webhook deliveries', description: 'Requests that a subscription receives.' },
  { name: 'sandbox', description: 'To rehearse with: a clock of one’s own, planned faults, a reset. Not there in production.' },
  { name: 'service', description: 'For those who run it.' },
];

const scopes = {
  read: 'Read everything of the account.',
  write: 'Create, change and remove.',
  funds: 'Record deposits and withdrawals.',
  review: 'Decide on documents.',
};

export const securitySchemes = {
  application: {
    type: 'oauth2' as const,
    description:
      'An access token of the client credentials grant, in `Authorization: Bearer`. Each operation names the scope it needs.',
    flows: { clientCredentials: { tokenUrl: '/token', scopes } },
  },
  client: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'client_id and client_secret of an application, which can be sent as members of the form instead.',
  },
};
