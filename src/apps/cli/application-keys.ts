// `earmark application secure`, and the options of `create` for what an application has instead of a secret.
import { readFileSync } from 'node:fs';
import { isId } from '../../core/ids.ts';
import type { NewTerms } from '../../resources/oauth/application-key.ts';
import { readKeys } from '../../resources/oauth/client-key.ts';
import type { RequiredBinding } from '../../resources/oauth/scope.ts';
import { change } from './change.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

export type KeyOptions = {
  jwks: string | undefined;
  'jwks-uri': string | undefined;
  'trust-issuer': string | undefined;
  subject: string | undefined;
  require: string | undefined;
};

type SecureCall = {
  words: readonly [clientId: string];
  options: KeyOptions & { 'no-keys': boolean; secret: string | undefined };
  json: boolean;
};

export async function secure({ words: [clientId], options, json }: SecureCall): Promise<number> {
  const given = termsOf(options);
  if (options['no-keys'] && given.keys !== undefined) throw new CallError('--no-keys comes without other keys.');
  const terms: NewTerms = {
    ...given,
    ...(options['no-keys'] && { keys: null }),
    ...(options.secret !== undefined && { isSecretForbidden: options.secret === 'refused' }),
  };
  if (Object.keys(terms).length === 0) throw new CallError('Say what to change: keys, --secret or --require.');
  if (!isId(clientId)) throw new UsageError(`There is no application ${clientId}.`);
  await withDatabase((tools) => change(tools, { kind: 'secure_application', applicationId: clientId, terms }));
  print({ client_id: clientId, changed: true }, json);
  return 0;
}

/** Reads the options. Members are absent if their options are. */
export function termsOf(options: KeyOptions): NewTerms {
  const { jwks, 'jwks-uri': jwksUri, 'trust-issuer': issuer, subject, require } = options;
  if (jwks !== undefined && jwksUri !== undefined) throw new CallError('Give --jwks or --jwks-uri, not both.');
  if ((issuer === undefined) !== (subject === undefined)) throw new CallError('--trust-issuer and --subject come together.');
  return {
    ...(jwks !== undefined && { keys: readFile(jwks) }),
    ...(jwksUri !== undefined && { jwksUri }),
    ...(issuer !== undefined && subject !== undefined && { trust: { issuer, subject } }),
    ...(require !== undefined && { requiredBinding: require === 'nothing' ? null : (require as RequiredBinding) }),
  };
}

function readFile(file: string) {
  const keys = readKeys(parse(file));
  if (typeof keys === 'string') throw new UsageError(`${file}: ${keys}`);
  return keys.map(({ jwk }) => jwk);
}

function parse(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}
