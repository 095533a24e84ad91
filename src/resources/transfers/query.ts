// The query of a list of transfers.
import { ReferenceSchema } from '../../core/money/amount.ts';
import { Type } from '../../core/type.ts';
import { ExternalId, MetadataFilter } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LongPeriodQuery } from '../../platform/http/moments.ts';

/** Texts match exactly; all that are given must match. */
export const TransferQuery = Type.Object({
  ...LongPeriodQuery.properties,
  reference: Type.Optional({ ...ReferenceSchema, description: 'Exact reference.' }),
  ...correlated,
  externalId: Type.Optional(ExternalId),
  metadata: Type.Optional(MetadataFilter),
});
