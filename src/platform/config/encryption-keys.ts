// Encryption keys as text: 32 bytes in base64 each, newest first, separated by commas.
import { entriesOf, InvalidValue, type Kind } from './kinds.ts';

const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

export const encryptionKeys: Kind<Buffer[]> = {
  parse(given) {
    const keys = parseKeys(given);
    if (!keys) throw new InvalidValue('base64 of 32 bytes, or "new,old"', { isHidden: true });
    return keys;
  },
};

/** Returns undefined if the text is malformed. */
export function parseKeys(text: string): Buffer[] | undefined {
  const keys = entriesOf(text);
  return keys.every((key) => KEY_BASE64.test(key)) ? keys.map((key) => Buffer.from(key, 'base64')) : undefined;
}
