// What an application gets instead of a secret: checked before it is stored, and in words for people.
import { refuse } from '../../core/problems.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import type { KeyReport, NewTerms, Trust } from '../oauth/application-key.ts';
import { KEYS_MAX, readKeys } from '../oauth/client-key.ts';
import type { Context, KeyEdit, Line } from './change.ts';

const TEXT_MAX = 255;
const ADDRESS_MAX = 2048;
const BINDING_WORDS = {
  dpop: 'Each token is bound to a key, and each request proves it (DPoP)',
  certificate: 'Each token is bound to a client certificate',
} as const;

/** What an edit of the keys comes to, as the application is now. Keys at an address are replaced by stored ones; those of an issuer stay its own. */
export function resolveTerms({ keys, trust }: KeyReport, wanted: NewTerms | KeyEdit): NewTerms {
  const stored = keys.map(({ jwk }) => jwk);
  const ofIssuer = trust && keys.length > 0 ? { trust } : {};
  if ('add' in wanted) {
    const added = readKeys({ keys: wanted.add });
    if (typeof added === 'string') throw refused(`The keys: ${added}`);
    if (added.some(({ thumbprint }) => keys.some((key) => key.thumbprint === thumbprint)))
      throw refused('The application has this key already.');
    if (stored.length + added.length > KEYS_MAX) throw refused(`An application has at most ${KEYS_MAX} keys. Remove one first.`);
    return { keys: [...stored, ...added.map(({ jwk }) => jwk)], ...ofIssuer };
  }
  if (!('remove' in wanted)) return wanted;
  const rest = keys.filter(({ thumbprint }) => thumbprint !== wanted.remove);
  if (rest.length === keys.length) throw refused('The application does not have this key any more.');
  return rest.length > 0 ? { keys: rest.map(({ jwk }) => jwk), ...ofIssuer } : { keys: null };
}

/** Whether a change only takes keys away. Like disabling, it must not wait for anybody. */
export function takesAway(wanted: NewTerms | KeyEdit): boolean {
  return 'remove' in wanted || ('keys' in wanted && wanted.keys === null && Object.keys(wanted).length === 1);
}

/** Refuses terms that would leave the application no way to authenticate. What has leaked can always be removed. */
export function requireWay({ keys, jwksUri, trust }: KeyReport, terms: NewTerms): void {
  const isLeft = replacesKeys(terms)
    ? Boolean(terms.keys ?? terms.jwksUri ?? terms.trust)
    : Boolean(keys.length > 0 || jwksUri !== null || trust !== null);
  if (terms.isSecretForbidden && !isLeft)
    throw refused('The application has no key, so it needs its secret. Give it a key first, or disable it.');
}

/** What the application had and will not have any more, in words for a second person. */
export function lostLines({ keys, jwksUri, trust }: KeyReport, terms: NewTerms): Line[] {
  if (!replacesKeys(terms)) return [];
  const read = terms.keys ? readKeys({ keys: terms.keys }) : [];
  const stays = (one: string) => typeof read !== 'string' && read.some(({ thumbprint }) => thumbprint === one);
  const lost = keys.map(({ thumbprint }) => thumbprint).filter((one) => !stays(one));
  const lines: (Line | false)[] = [
    lost.length > 0 && ['Keys that end', lost.join(', ')],
    jwksUri !== null && jwksUri !== terms.jwksUri && ['Address that ends', jwksUri],
    trust !== null && trust.issuer !== terms.trust?.issuer && ['Issuer that ends', trust.issuer],
  ];
  return lines.filter((line) => line !== false);
}

function replacesKeys({ keys, jwksUri, trust }: NewTerms): boolean {
  return keys !== undefined || jwksUri !== undefined || trust !== undefined;
}

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
