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
  choose_time_zone: 'chose a time zone',
  remove_passkeys: 'removed all passkeys of a person',
  ask_for_change: 'asked a second person for a change',
  approve_change: 'approved a change',
  refuse_change: 'refused a change',
  withdraw_change: 'withdrew a change',
  fail_change: 'could not carry out an approved change',
  set_move_limit: 'changed the limit of what one person moves',
  suspend_customer: 'suspended a customer',
  deactivate_customer: 'deactivated a customer',
  reactivate_customer: 'reactivated a customer',
  erase_customer: 'erased the texts of a customer',
  look_at_document: 'looked at a document',
  reveal_record: 'looked at the birth date and number of a person',
  review_document: 'reviewed a document',
  take_back_review: 'took a decision on a document back',
  erase_document: 'erased the content of a document',
  hold_document: 'put a legal hold on a document',
  release_document: 'ended the legal hold of a document',
  set_evidence_policy: 'changed what checkers may decide',
  import_master_list: 'imported a master list',
  remove_master_list: 'removed a master list',
  ask_for_move: 'asked to move money',
  move_money: 'moved money',
  ask_for_plan: 'asked to hold, schedule, divide or watch money, or to end that',
  create_hold: 'held money',
  capture_hold: 'captured held money',
  release_hold: 'released held money',
  create_schedule: 'scheduled a move',
  end_schedule: 'ended a schedule',
  pause_schedule: 'paused a schedule',
  resume_schedule: 'resumed a schedule',
  create_label: 'made a label',
  rename_label: 'renamed a label',
  remove_label: 'removed a label',
  create_monitor: 'made a balance monitor',
  delete_monitor: 'deleted a balance monitor',
  create_allocation_rule: 'made an allocation rule',
  delete_allocation_rule: 'deleted an allocation rule',
  record_bank_lines: 'recorded deposits from a bank file',
  close_month: 'closed a month',
  read_statement: 'downloaded a statement',
  download_list: 'downloaded a list',
  retry_webhook: 'sent a webhook again',
  replay_webhooks: 'sent webhooks again since a time',
  create_subscription: 'created a webhook subscription',
  edit_subscription: 'changed the receiver or the topics of a subscription',
  rotate_webhook_secret: 'made a new secret of a subscription',
  remove_subscription: 'removed a webhook subscription',
  ping_subscription: 'sent a test webhook',
  pause_subscription: 'paused a subscription',
  resume_subscription: 'resumed a subscription',
  create_account: 'created an account',
  create_application: 'created an application',
  rotate_secret: 'made a new secret',
  secure_application: 'changed how an application authenticates',
  change_scopes: 'changed the scopes of an application',
  disable_application: 'disabled an application',
  enable_application: 'enabled an application',
  advance_clock: 'advanced a clock',
  plan_fault: 'planned a fault',
  remove_fault: 'removed a fault',
  reset_account: 'reset an account',
  add_customer: 'added a customer of the sandbox',
  add_document: 'added a document of the sandbox',
  run_job: 'ran a job',
  check_ledger: 'ran the ledger check',
  rotate_encryption_keys: 'sealed everything under the newest encryption key',
  rotate_signing_keys: 'made a new signing key',
  rotate_log_keys: 'made a new key of the transparency logs',
} as const;

/** The actions that are looks at what is not for everybody. */
export const LOOKS = ['look_at_document', 'reveal_record', 'read_statement', 'download_list'] as const;

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

/** Names of actors who are no people of the console. COMMAND_LINE follows the name of a user of the machine. */
export const IDENTITY_PROVIDER = 'identity provider';
export const COMMAND_LINE = '(command line)';

/** What the first start of a sandbox does, on this machine. */
export const sandboxStart = (): Actor => ({ operatorId: null, name: 'start of the sandbox', place: hostname() });

const BUCKET = 0;

export async function writeAudit(sql: Sql, actor: Actor, { action, resource, detail = {} }: Act): Promise<void> {
  await sql`
    insert into audit_entry (id, operator_id, actor, action, resource_type, resource_id, detail, place, created)
    values (${newId(BUCKET)}, ${actor.operatorId}, ${actor.name}, ${action}, ${resource?.type}, ${resource?.id}, ${detail},
      ${actor.place}, now())`;
}

/** `text`: a part of the names, the details or the address, without regard to case. `from`, `until`: the latter is not included. */
export type AuditFilter = {
  operatorId?: string | undefined;
  resourceId?: string | readonly string[] | undefined;
  action?: string | readonly string[] | undefined;
  text?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
  before?: string | undefined;
};

/** How many entries came after one, up to a number. */
export async function countAudit(sql: Sql, { after, most }: { after: string; most: number }): Promise<number> {
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from audit_entry where id > ${after} limit ${most}) e`;
  return row!.count;
}

/** Lists entries, newest first, older than the entry `before`. Ids begin with their time, so a period is a range of the primary key. */
export async function listAudit(
  sql: Sql,
  { operatorId, resourceId, action, text, from, until, before }: AuditFilter,
  limit: number,
): Promise<AuditEntry[]> {
  const none = fragment``;
  return sql<AuditEntry>`
    select id, operator_id, actor, action, resource_type, resource_id, detail, place, created from audit_entry
    where true ${operatorId === undefined ? none : fragment`and operator_id = ${operatorId}`}
      ${resourceId === undefined ? none : fragment`and resource_id = any (${[resourceId].flat()})`}
      ${action === undefined ? none : fragment`and action = any (${[action].flat()})`}
      ${text === undefined ? none : fragment`and position(lower(${text}) in lower(concat_ws(' ', actor, detail, place))) > 0`}
      ${from === undefined ? none : fragment`and created >= ${from}`}
      ${until === undefined ? none : fragment`and created < ${until}`}
      ${before === undefined ? none : fragment`and id < ${before}`}
    order by id desc limit ${limit}`;
}
