// One setting: its name, type, default and help.
import type { Kind } from './kinds.ts';

export type Setting = {
  name: string;
  kind: Kind<unknown>;
  /** For the help, which adds the range of the kind. */
  about: string;
  /** May be read from a file, named by the setting with the suffix _FILE. */
  isSecret?: true;
} & (
  | {
      /** The default, as text that is parsed like a given one. */
      fallback: string;
      /** The default in the help, if it needs words. */
      shown?: string;
    }
  | {
      fallback?: never;
      /** Says in the help what applies without a value: the value is then undefined, or depends on other settings. */
      shown: string;
    }
);

export const DAY_SECONDS = 86_400;
/** In the help, for a setting without a value. */
export const NONE = '(none)';
