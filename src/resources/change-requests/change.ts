// Changes of people, applications and limits, and moves of money above a limit: what each of them does, for people to read, and which of them take a second person.
import type { Act } from '../../ledger/audit/audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Move } from '../moves/move.ts';
import type { NewTerms } from '../oauth/application-key.ts';
import type { ClientJwk } from '../oauth/client-key.ts';
import type { Scope } from '../oauth/scope.ts';
import type { Permission, Role } from '../operators/role.ts';

/** A change that somebody wants. It is stored while it waits, so it never contains a secret. */
export type Change =
  | { kind: 'create_operator'; name: string; roles: Role[] }
  | { kind: 'change_roles'; operatorId: string; roles: Role[] }
  | { kind: 'disable_operator'; operatorId: string }
  | { kind: 'enable_operator'; operatorId: string }
  | { kind: 'create_link'; operatorId: string }
  | { kind: 'remove_passkeys'; operatorId: string }
  | { kind: 'create_application'; accountId: string; name: string; scopes: Scope[]; terms?: NewTerms }
  | { kind: 'secure_application'; applicationId: string; terms: NewTerms | KeyEdit }
  | { kind: 'rotate_secret'; applicationId: string; overlapHours: number }
  | { kind: 'change_scopes'; applicationId: string; scopes: Scope[] }
  | { kind: 'disable_application'; applicationId: string }
  | { kind: 'enable_application'; applicationId: string }
  /** `amount`: null removes the limit. */
  | { kind: 'set_move_limit'; accountId: string; currency: string; amount: string | null }
  /** `key`: of the form, with which the money moves once. */
  | { kind: 'move_money'; customerId: string; move: Move; key: string };

/** A change of the stored keys: the others stay. `remove`: a thumbprint. */
export type KeyEdit = { add: ClientJwk[] } | { remove: string };

export type ChangeOf<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>;

/** A name and a text, for people. */
export type Line = [name: string, text: string];

/** What a change would do, as things are now. */
export type Plan = {
  title: string;
  lines: Line[];
  /** Whether it takes a second person, where FOUR_EYES applies. */
  takesTwo: boolean;
  /** Scopes that the change gives to an application; whoever asks and approves must have them. */
  scopes?: readonly Scope[];
  /** Missing if the ledger carries it out. */
  perform?(): Promise<Done>;
};

/** What was done, for the audit log; `shown`: secrets, shown once to the one who asked. */
export type Done = { act: Act; id: string; shown?: Record<string, string> };

/** `asker`: the person of the console who wants the change; null on the command line. */
export type Context = {
  tx: Sql;
  asker: string | null;
  sealer?: Sealer | undefined;
  links: Pick<Links, 'url'>;
  /** Which addresses of keys are accepted. */
  config: Pick<Config, 'mode' | 'webhookAllowPrivate' | 'webhookPorts'>;
};

export type Definition<Wanted> = {
  permission: Permission;
  /** Results in a secret: it is performed when the one who asked collects that. */
  isSecret?(wanted: Wanted): boolean;
  /** The ledger carries it out after its approval is stored. */
  isCarriedOut?: boolean;
  /** Reads what the change would do. Throws a refusal if it is not possible. */
  plan(context: Context, wanted: Wanted): Promise<Plan>;
};
