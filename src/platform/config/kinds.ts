// Kinds of values: each parses the text of a setting, and describes its range for the help.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

export type Kind<T> = {
  /** Throws InvalidValue. */
  parse(text: string): T;
  /** The allowed range, for the help. */
  range?: string;
};

/** A text that a setting cannot have. `wanted` completes the sentence `PORT must be …`. */
export class InvalidValue extends Error {
  readonly wanted: string;
  /** Whether the message does not repeat the text, which may contain a password or a key. */
  readonly isHidden: boolean;

  constructor(wanted: string, { isHidden = false } = {}) {
    super(wanted);
    this.wanted = wanted;
    this.isHidden = isHidden;
  }
}

export const text: Kind<string> = { parse: (given) => given };

export const folder: Kind<string> = { parse: (given) => resolve(given) };

/** A word that may be part of a media type. */
export const word: Kind<string> = {
  parse(given) {
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(given)) {
      throw new InvalidValue('a word of lower-case letters, digits and hyphens');
    }
    return given;
  },
};

export const headerName: Kind<string> = {
  parse(given) {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(given)) throw new InvalidValue('the name of a header');
    return given;
  },
};

export const flag: Kind<boolean> = { parse: (given) => oneOf('true', 'false').parse(given) === 'true' };

export function oneOf<const Values extends readonly string[]>(...values: Values): Kind<Values[number]> {
  return {
    parse(given) {
      if (!values.includes(given)) throw new InvalidValue(`one of ${values.join(', ')}`);
      return given;
    },
  };
}

/** `zero` says in the help what 0 does. */
export function integer({ min, max, zero }: { min: number; max: number; zero?: string }): Kind<number> {
  return {
    range: zero === undefined ? `${min} to ${max}` : `0 ${zero}, to ${max}`,
    parse(given) {
      const value = /^[0-9]{1,9}$/.test(given) ? Number(given) : Number.NaN;
      if (!(value >= min && value <= max)) throw new InvalidValue(`an integer from ${min} to ${max}`);
      return value;
    },
  };
}

/** A number of processes. `auto` is one per processor, except for one, but at least one. */
export const processes: Kind<number> = {
  range: '1 to 64 or auto',
  parse(given) {
    if (given === 'auto') return Math.max(1, availableParallelism() - 1);
    const value = /^[0-9]{1,2}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= 1 && value <= 64)) throw new InvalidValue('an integer from 1 to 64, or auto');
    return value;
  },
};

/** A number from 0 to 1. */
export const share: Kind<number> = {
  range: '0 to 1',
  parse(given) {
    const value = Number(given);
    if (!(value >= 0 && value <= 1)) throw new InvalidValue('a number from 0 to 1', { isHidden: true });
    return value;
  },
};

/** The entries of a list that is separated by commas. */
export function entriesOf(list: string): string[] {
  return list.split(',').map((entry) => entry.trim());
}
