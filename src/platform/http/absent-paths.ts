// Paths that APIs of this family have and this one deliberately does not, with what to use instead.

const BANK_DATA = 'Exchanges of bank data are deliberately not part of this API: there are no funding sources to connect.';

/** Segments of paths, and what to say about them. Also on the page /docs/refusals. */
export const ABSENT_PATHS: Record<string, string> = {
  'funding-sources':
    'Funding sources are deliberately not part of this API: bank accounts stay with your bank or processor. Record what it moved with POST /customers/{id}/deposits and POST /customers/{id}/withdrawals.',
  'funding-sources-token': 'Tokens for funding sources are deliberately not part of this API: there are no funding sources.',
  'micro-deposits': 'Micro-deposits are deliberately not part of this API: there are no funding sources to verify.',
  'mass-payments':
    'Mass payments are deliberately not part of this API. Move up to 1,000 amounts in one request with POST /label-reallocation-batches.',
  exchanges: BANK_DATA,
  'exchange-partners': BANK_DATA,
  'exchange-sessions': BANK_DATA,
  kba: 'Knowledge-based authentication is deliberately not part of this API. Verify a customer by documents with POST /customers/{id}/documents.',
  'business-classifications':
    'A list of business classifications is deliberately not part of this API. The businessClassification of POST /customers takes any text, such as an id of a list of yours.',
  'on-demand-authorizations':
    'On-demand authorizations are deliberately not part of this API: they belong to funding sources, and there are none.',
  'client-tokens':
    'Client tokens are deliberately not part of this API. Call it from your server, with an access token of POST /token.',
  'sandbox-simulations':
    'Sandbox simulations are deliberately not part of this API: nothing waits for a bank. Test time and errors with POST /sandbox/clock and POST /sandbox/faults.',
};

/** What to say about a path with such a segment, or undefined. */
export function absentIn(path: string): string | undefined {
  const segment = path.split('/').find((one) => Object.hasOwn(ABSENT_PATHS, one));
  return segment === undefined ? undefined : ABSENT_PATHS[segment];
}
