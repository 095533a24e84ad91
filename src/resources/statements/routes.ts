// The route of statements: a month of a customer as HAL, CSV or PDF, by the Accept header, streamed.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { minorDigits } from '../../core/money/currencies.ts';
import { invalid, refuse } from '../../core/problems.ts';
import { CHECKED_LATER } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { isZone } from '../../core/zone.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { weightOf } from '../../platform/http/media-type.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { type Customer, requireCustomer } from '../customers/customer.ts';
import { findLabel } from '../labels/label.ts';
import type { StatementFormat } from './format.ts';
import { StatementSchema } from './hal.ts';
import { readMonth } from './month.ts';
import { openStatement, type Selection, type Statement } from './statement.ts';
import { writeStatement } from './write.ts';

type Tools = { clock: Clock; database: Database; links: Links };

const CSV = 'text/csv';
const PDF = 'application/pdf';

const StatementParams = Type.Object({
  id: { ...IdSchema, description: 'Id of the resource.' },
  month: Type.String({ description: 'The month, such as 2026-01.', [CHECKED_LATER]: { pattern: '^[0-9]{4}-[0-9]{2}$' } }),
});

const StatementQuery = Type.Object({
  currency: Type.Optional(Type.String({ description: 'Only this currency.', [CHECKED_LATER]: { pattern: '^[A-Z]{3}$' } })),
  label: Type.Optional({ ...IdSchema, description: 'Only the label with this id.' }),
  zone: Type.Optional(
    Type.String({
      description: 'The IANA time zone of the month. Default: UTC.',
      examples: ['Europe/Berlin'],
      [CHECKED_LATER]: { maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
    }),
  ),
});

export function statementRoutes(app: App, service: Tools): void {
  const { links, database } = service;
  const formats: Record<string, StatementFormat> = { [links.mediaType]: 'hal', [CSV]: 'csv', [PDF]: 'pdf' };

  app.get(
    '/customers/:id/statements/:month',
    {
      // The media type depends on the request.
      config: { scope: 'read', plain: true, problems: ['invalidVersion'] },
      schema: {
        operationId: 'getStatement',
        summary: 'Retrieve the statement of a month',
        description:
          'The available balance and each label: opening balance, entries from the oldest on, totals and closing balance. As CSV, a row per entry and for each of the others. As PDF, for people. A month is closed one minute after its end; from then on its statement never changes.',
        tags: ['statements'],
        params: StatementParams,
        querystring: StatementQuery,
        response: {
          200: {
            description: 'The statement.',
            content: {
              [links.mediaType]: { schema: Type.Unsafe<Readable | string>(StatementSchema) },
              [CSV]: { schema: Type.String() },
              [PDF]: { schema: Type.String({ format: 'binary' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const mediaType = chooseType(request, Object.keys(formats));
      const customer = await requireCustomer(database.sql, request.caller, request.params.id);
      const selection = await requireSelection(service, customer, request.query);
      const statement = await findStatement(service, customer, { ...request.params, ...request.query, selection });
      reply.type(mediaType === PDF ? PDF : `${mediaType}; charset=utf-8`);
      const file = `statement-${request.params.month}-${customer.id}`;
      if (mediaType === CSV) reply.header('content-disposition', `attachment; filename="${file}.csv"`);
      if (mediaType === PDF) reply.header('content-disposition', `inline; filename="${file}.pdf"`);
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const parts = await writeStatement(links, statement, { format: formats[mediaType]!, selection });
      return reply.send(Readable.from(parts, { objectMode: false }));
    },
  );
}

/** Returns the media type that the Accept header prefers. Throws InvalidVersion if it allows none of them. */
function chooseType({ headers }: FastifyRequest, mediaTypes: string[]): string {
  const weights = mediaTypes.map((type) => weightOf(headers.accept ?? '*/*', type));
  const best = Math.max(...weights);
  if (best === 0) throw refuse('invalidVersion');
  return mediaTypes[weights.indexOf(best)]!;
}

/** Refuses an unknown currency with ValidationError, and a label that is not the customer's with NotFound. */
async function requireSelection(
  { database }: Tools,
  { id }: Customer,
  { currency, label }: Partial<Selection>,
): Promise<Selection> {
  if (currency !== undefined && minorDigits(currency) === undefined)
    throw invalid({ code: 'Invalid', message: 'currency must be an ISO 4217 code such as USD.', path: '/query/currency' });
  if (label !== undefined && (await findLabel(database.sql, label))?.customerId !== id) throw refuse('labelNotFound');
  return { currency, label };
}

async function findStatement(
  { database, clock }: Tools,
  customer: Customer,
  { month: text, zone = 'UTC', selection }: { month: string; zone?: string; selection: Selection },
): Promise<Statement> {
  if (!isZone(zone))
    throw invalid({ code: 'Invalid', message: 'zone must be an IANA time zone such as Europe/Berlin.', path: '/query/zone' });
  const month = readMonth(text, zone);
  const now = clock.now(customer.accountId);
  if (!month || month.from > now) throw refuse('notFound');
  return openStatement(database.sql, customer, { month, selection, now });
}
