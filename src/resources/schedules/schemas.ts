// Schemas of schedules and their occurrences.
import type { Static } from 'typebox';
import { AmountSchema, ReferenceSchema } from '../../core/money/amount.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { external, MetadataSchema } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { LabelLink } from '../labels/label.ts';
import { RULE_LENGTH } from './rule.ts';

export const STATUSES = ['active', 'paused', 'ended'] as const;
export type Status = (typeof STATUSES)[number];

const IF_INSUFFICIENT = ['skip', 'partial', 'fail'] as const;
export type IfInsufficient = (typeof IF_INSUFFICIENT)[number];

const CATCH_UP = ['each', 'last', 'none'] as const;
export type CatchUp = (typeof CATCH_UP)[number];

export type AmountKind = 'value' | 'all' | 'above' | 'upTo';

const END_REASONS = ['Finished', 'Ended', 'LabelRemoved'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** `planned` and `due` occurrences are not stored. */
const DECIDED = ['ran', 'skipped', 'failed'] as const;
const OCCURRENCE_STATUSES = ['planned', 'due', ...DECIDED] as const;
export type OccurrenceStatus = (typeof OCCURRENCE_STATUSES)[number];

const REASONS = ['InsufficientFunds', 'NothingToMove', 'Missed', 'CustomerNotVerified', 'LabelRemoved', 'BalanceLimit'] as const;
export type Reason = (typeof REASONS)[number];

const OccurrenceReason = Type.Enum(REASONS, {
  title: 'OccurrenceReason',
  description: 'Why it was skipped or failed. `Missed`: it was late, and the schedule does not catch up.',
});

const AMOUNT_LENGTH = 40;
const ZONE_LENGTH = 64;

const AmountText = Type.String({ maxLength: AMOUNT_LENGTH, examples: ['500.00'] });

export type ScheduleAmount = Static<typeof ScheduleAmount>;

export const ScheduleAmount = Type.Object(
  {
    value: Type.Optional({
      ...AmountText,
      description: 'Decimal digits, or `all`: what the source has available.',
      examples: ['100.00', 'all'],
    }),
    above: Type.Optional({ ...AmountText, description: 'What the source has available beyond this amount.' }),
    upTo: Type.Optional({ ...AmountText, description: 'What the destination lacks to this amount.' }),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'That of the labels. A request needs it beside a `value` of digits.',
        examples: ['USD'],
      }),
    ),
  },
  {
    title: 'ScheduleAmount',
    description: 'One of value, above and upTo. Decided at each occurrence, under the lock of both labels.',
    ...STRICT,
  },
);

const Rule = Type.String({
  minLength: 1,
  maxLength: RULE_LENGTH,
  description:
    'RRULE of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, and COUNT or UNTIL. Days that a month does not have are left out; BYMONTHDAY=-1 is its last day.',
  examples: ['FREQ=MONTHLY;BYMONTHDAY=-1'],
});
const Start = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$',
  description:
    'Local time without an offset. Occurrences have this time of day, none is earlier, and intervals and COUNT begin here. Occurrences before the creation of the schedule do not run.',
  examples: ['2026-01-31T18:00:00'],
});
const TimeZone = Type.String({
  minLength: 1,
  maxLength: ZONE_LENGTH,
  description:
    'IANA name. A local time that clocks skip occurs as much after the change as it would be without; one that they show twice occurs the first time.',
  examples: ['Europe/Berlin'],
});
const IfInsufficientSchema = Type.Enum(IF_INSUFFICIENT, {
  title: 'IfInsufficient',
  description:
    'If the source has less available than the amount: `skip` (the default) moves nothing, `partial` moves what is available, `fail` moves nothing and reports a failure. Either way the schedule goes on.',
});
const CatchUpSchema = Type.Enum(CATCH_UP, {
  title: 'CatchUp',
  description:
    'After an outage: `each` (the default) runs every occurrence that is late, oldest first; `last` only the newest of those that are due; `none` those that are at most an hour late. The others are skipped.',
});

/** What a change can replace. */
const terms = {
  amount: ScheduleAmount,
  rule: Rule,
  start: Start,
  timeZone: TimeZone,
  ifInsufficient: IfInsufficientSchema,
  catchUp: CatchUpSchema,
};

export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const ScheduleRequest = Type.Object(
  {
    _links: Type.Object({ from: LabelLink, to: LabelLink }, STRICT),
    ...terms,
    ifInsufficient: Type.Optional(IfInsufficientSchema),
    catchUp: Type.Optional(CatchUpSchema),
    reference: Type.Optional(ReferenceSchema),
    ...correlated,
    ...external,
  },
  {
    title: 'ScheduleRequest',
    description: 'Each reallocation has the reference, the correlation id and the metadata of the schedule.',
    ...STRICT,
  },
);

export type ScheduleChange = Static<typeof ScheduleChange>;

export const ScheduleChange = Type.Object(
  {
    ...Type.Partial(Type.Object(terms)).properties,
    paused: Type.Optional(Type.Boolean({ description: 'Occurrences during a pause do not run, also not afterwards.' })),
    reference: Type.Optional(ReferenceSchema),
    metadata: Type.Optional(MetadataSchema),
  },
  { title: 'ScheduleChange', description: 'At least one member. A new rule goes on after the last occurrence.', ...STRICT },
);

const LastOccurrence = Type.Object(
  {
    _links: Type.Object({ 'label-reallocation': linkWhen('Present if it ran.') }),
    at: Type.String({ format: 'date-time', description: 'The time by the rule.' }),
    status: Type.Enum(DECIDED, { title: 'DecidedStatus' }),
    reason: Type.Optional(OccurrenceReason),
    amount: Type.Optional(AmountSchema),
  },
  { title: 'LastOccurrence', description: 'What became of the last occurrence.' },
);

export const ScheduleSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      from: LinkSchema,
      to: LinkSchema,
      occurrences: LinkSchema,
      edit: linkWhen('Present until the schedule has ended.'),
      remove: linkWhen('Present until the schedule has ended.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    status: Type.Enum(STATUSES, { title: 'ScheduleStatus' }),
    ...terms,
    next: Type.Optional(Type.String({ format: 'date-time', description: 'The next occurrence. Absent unless active.' })),
    lastOccurrence: Type.Optional(LastOccurrence),
    ended: Type.Optional(Type.String({ format: 'date-time' })),
    endReason: Type.Optional(
      Type.Enum(END_REASONS, {
        title: 'ScheduleEndReason',
        description:
          '`Finished`: the rule has no further occurrence. `Ended`: by a request. `LabelRemoved`: a label was removed.',
      }),
    ),
    reference: Type.Optional(ReferenceSchema),
    ...correlated,
    ...external,
  },
  { title: 'Schedule' },
);

export const OccurrenceSchema = Type.Object(
  {
    _links: Type.Object({
      schedule: LinkSchema,
      'label-reallocation': linkWhen('Present if it ran.'),
    }),
    id: {
      ...IdSchema,
      description: 'Follows from the schedule and the time. The reallocation of the occurrence has this id.',
    },
    at: Type.String({ format: 'date-time', description: 'The time by the rule.' }),
    status: Type.Enum(OCCURRENCE_STATUSES, {
      title: 'OccurrenceStatus',
      description: '`due`: the time has come, and it runs within seconds.',
    }),
    reason: Type.Optional(OccurrenceReason),
    amount: Type.Optional(AmountSchema),
    decided: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it ran, was skipped, or failed; its event has the same time.' }),
    ),
  },
  { title: 'ScheduleOccurrence' },
);
