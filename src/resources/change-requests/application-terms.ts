// What an application gets instead of a secret: checked before it is stored, and in words for people.
import { refuse } from '../../core/problems.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import type { NewTerms, Trust } from '../oauth/application-key.ts';
import { readKeys } from '../oauth/client-key.ts';
import type { Context, Line } from './change.ts';

const TEXT_MAX = 255;
const ADDRESS_MAX = 2048;
const BINDING_WORDS = {
  dpop: 'Each token is bound to a key, and each request proves it (DPoP)',
  certificate: 'Each token is bound to a client certificate',
} as const;

/** Refuses terms that no application can have. */
export function checkTerms(config: Context['config'], { keys, jwksUri, trust }: NewTerms): void {
  const { faultOf } = createAddressPolicy(config);
  const read = keys ? readKeys({ keys }) : undefined;
  if (typeof read === 'string') throw refused(`The keys: ${read}`);
  if (jwksUri !== undefined) checkAddress('key set', jwksUri, faultOf);
  if (trust) checkTrust(trust, { faultOf, isRead: keys === undefined && jwksUri === undefined });
}

/** Terms in words. A second person reads them, so a key is named by its fingerprint. */
export function linesOf({ keys, jwksUri, trust, isSecretForbidden, requiredBinding }: NewTerms): Line[] {
  const read = keys ? readKeys({ keys }) : [];
  const lines: (Line | false)[] = [
    typeof read !== 'string' && read.length > 0 && ['Keys', read.map(({ thumbprint }) => thumbprint).join(', ')],
    keys === null && ['Keys', 'None'],
    jwksUri !== undefined && ['Keys at', jwksUri],
    trust !== undefined && ['Trusted issuer', trust.issuer],
    trust !== undefined && ['Subject', trust.subject],
    isSecretForbidden !== undefined && ['Secret', isSecretForbidden ? 'Refused' : 'Accepted'],
    requiredBinding !== undefined && ['Requires', requiredBinding ? BINDING_WORDS[requiredBinding] : 'Nothing more'],
  ];
  return lines.filter((line) => line !== false);
}

/** Issuers whose keys are stored are not asked, so that they may be anywhere. */
function checkTrust({ issuer, subject }: Trust, { faultOf, isRead }: { faultOf: FaultOf; isRead: boolean }): void {
  if (isRead) checkAddress('issuer', issuer, faultOf);
  if (issuer === '' || issuer.length > TEXT_MAX) throw refused(`The issuer has 1 to ${TEXT_MAX} characters.`);
  if (subject === '' || subject.length > TEXT_MAX) throw refused(`The subject has 1 to ${TEXT_MAX} characters.`);
}

type FaultOf = (url: string) => string | undefined;

function checkAddress(what: string, url: string, faultOf: FaultOf): void {
  const fault =
    url.length > ADDRESS_MAX || url.includes('#') ? `URL has at most ${ADDRESS_MAX} characters and no #.` : faultOf(url);
  if (fault) throw refused(`The address of the ${what}: ${fault}`);
}

function refused(message: string) {
  return refuse('badRequest', { message });
}
