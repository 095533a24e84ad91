// The audit log: what people did and looked at in the console and with `earmark`. Append-only: a trigger refuses changes.
import { hostname } from 'node:os';
import { newId } from '../../core/ids.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';

/** Every action, with its description for people. */
export const ACTIONS = {
  sign_in: 'signed in',
  sign_out: 'signed out',
  sign_in_refused: 'was refused at sign-in',
  create_operator: 'created a person',
  create_link: 'created a sign-in link',
  change_roles: 'changed roles',
  disable_operator: 'disabled a person',
  enable_operator: 'enabled a person',
  add_passkey: 'added a passkey',
  remove_passkey: 'removed a passkey',
  remove_passkeys: 'removed all passkeys of a person',
  ask_for_change: 'asked a second person for a change',
  approve_change: 'approved a change',
  refuse_change: 'refused a change',
  withdraw_change: 'withdrew a change',
  suspend_customer: 'suspended a customer',
  deactivate_customer: 'deactivated a customer',
  reactivate_customer: 'reactivated a customer',
  erase_customer: 'erased the texts of a customer',
  look_at_document: 'looked at a document',
  reveal_record: 'looked at the birth date and number of a person',
  review_document: 'reviewed a document',
  erase_document: 'erased the content of a document',
  ask_for_move: 'asked to move money',
  move_money: 'moved money',
  record_bank_lines: 'recorded deposits from a bank file',
  read_statement: 'downloaded a statement',
  retry_webhook: 'sent a webhook again',
  replay_webhooks: 'sent webhooks again since a time',
  pause_subscription: 'paused a subscription',
  resume_subscription: 'resumed a subscription',
  create_account: 'created an account',
  create_application: 'created an application',
  rotate_secret: 'made a new secret',
  disable_application: 'disabled an application',
  enable_application: 'enabled an application',
  advance_clock: 'advanced a clock',
  plan_fault: 'planned a fault',
  remove_fault: 'removed a fault',
  reset_account: 'reset an account',
  add_customer: 'added a rehearsal customer',
  add_document: 'added a rehearsal document',
  run_job: 'ran a job',
  check_ledger: 'ran the ledger check',
  rotate_encryption_keys: 'sealed everything under the newest encryption key',
  rotate_signing_keys: 'made a new signing key',
  rotate_log_keys: 'made a new key of the transparency logs',
} as const;

type Action = keyof typeof ACTIONS;

export type AuditEntry = {
  id: string;
  operatorId: string | null;
  actor: string;
  action: Action;
  resourceType: string | null;
  resourceId: string | null;
  detail: Record<string, unknown>;
  place: string;
  created: Date;
};

/** Who acts: an operator, or a person on the command line, who has no id. `place`: the address, empty if it is not known, or the host. */
export type Actor = { operatorId: string | null; name: string; place: string };
export type Act = { action: Action; resource?: { type: string; id: string }; detail?: Record<string, unknown> };

/** What the first start of a sandbox does, on this machine. */
export const sandboxStart = (): Actor => ({ operatorId: null, name: 'start of the sandbox', place: hostname() });

const BUCKET = 0;

export async function writeAudit(sql: Sql, actor: Actor, { action, resource, detail = {} }: Act): Promise<void> {
  await sql`
    insert into audit_entry (id, operator_id, actor, action, resource_type, resource_id, detail, place, created)
    values (${newId(BUCKET)}, ${actor.operatorId}, ${actor.name}, ${action}, ${resource?.type}, ${resource?.id}, ${detail},
      ${actor.place}, now())`;
}

/** Lists entries, newest first, older than the entry `before`; all, those of one operator, or those about one resource. */
export async function listAudit(
  sql: Sql,
  filter: {
    operatorId?: string | undefined;
    resourceId?: string | undefined;
    action?: string | undefined;
    before?: string | undefined;
  },
  limit: number,
): Promise<AuditEntry[]> {
  const { operatorId, resourceId, action, before } = filter;
  const of = operatorId === undefined ? fragment`true` : fragment`operator_id = ${operatorId}`;
  const about = resourceId === undefined ? fragment`true` : fragment`resource_id = ${resourceId}`;
  const doing = action === undefined ? fragment`true` : fragment`action = ${action}`;
  const older = before === undefined ? fragment`true` : fragment`id < ${before}`;
  return sql<AuditEntry>`
    select id, operator_id, actor, action, resource_type, resource_id, detail, place, created from audit_entry
    where ${of} and ${about} and ${doing} and ${older} order by id desc limit ${limit}`;
}
