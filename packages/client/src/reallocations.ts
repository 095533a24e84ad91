// The calls that move money between labels: reallocations, batches of them, and rules that divide deposits.
import type { Api, CallOptions, Form, PostOptions, Query } from './api.ts';
import type { Amount } from './openapi.ts';
import { hrefOf, type Ref } from './reference.ts';

/** A reallocation between two labels of one customer. */
export type Reallocation = {
  from: Ref;
  to: Ref;
  amount: Amount;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: Record<string, string>;
};

/** A withdrawal from a label. */
type BatchWithdrawal = Omit<Reallocation, 'to'>;

/**
 * `atomic`: all items are of one customer, and all are made or none. `independent`: each by itself. The amount `all` is everything.
 * `withdrawals` follow the items, and need the scope `funds`. One of both is enough.
 */
export type Batch = { mode: 'atomic' | 'independent'; items?: Reallocation[]; withdrawals?: BatchWithdrawal[] };

/** A step of an allocation rule: a percentage such as `"25.00"` of the whole deposit, or an amount. `until`: the balance up to which it fills its label. */
export type AllocationStep = { label: Ref; until?: Amount } & ({ percent: string } | { amount: Amount });
export type AllocationRuleForm = { name: string; steps: AllocationStep[] };

export function labelReallocationCalls(api: Api, baseUrl: string) {
  return {
    create: (reallocation: Reallocation, options?: PostOptions) =>
      api.create('/label-reallocations', undefined, linked(baseUrl, reallocation), options),
    get: (reallocation: Ref, options?: CallOptions) => api.get('/label-reallocations/{id}', reallocation, options),
    /** Proves that the reallocation is in the transparency log. Refused with 503 until a checkpoint covers it. */
    receipt: (reallocation: Ref, options?: CallOptions) => api.get('/label-reallocations/{id}/receipt', reallocation, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/label-reallocations'>, options?: CallOptions) =>
      api.list('/customers/{id}/label-reallocations', customer, query, options),
    /** Moves an amount back, by default the unreversed remainder; with the mode `available` at most what is still there. */
    reverse: (reallocation: Ref, form: Form<'/label-reallocations/{id}/reversals'> = {}, options?: PostOptions) =>
      api.create('/label-reallocations/{id}/reversals', reallocation, form, options),
    /** Newest first. */
    reversals: (reallocation: Ref, query?: Query<'/label-reallocations/{id}/reversals'>, options?: CallOptions) =>
      api.list('/label-reallocations/{id}/reversals', reallocation, query, options),
  };
}

export function allocationRuleCalls(api: Api, baseUrl: string) {
  const toForm = ({ name, steps }: AllocationRuleForm) => ({
    name,
    steps: steps.map(({ label, ...rest }) => ({ label: { href: hrefOf(baseUrl, 'labels', label) }, ...rest })),
  });
  return {
    /** Applies to deposits from now on. A customer has at most one active rule per currency. */
    create: (customer: Ref, form: AllocationRuleForm, options?: PostOptions) =>
      api.create('/customers/{id}/allocation-rules', customer, toForm(form), options),
    get: (rule: Ref, options?: CallOptions) => api.get('/allocation-rules/{id}', rule, options),
    list: (customer: Ref, query?: Query<'/customers/{id}/allocation-rules'>, options?: CallOptions) =>
      api.list('/customers/{id}/allocation-rules', customer, query, options),
    replace: (rule: Ref, form: AllocationRuleForm, options?: PostOptions) =>
      api.change('/allocation-rules/{id}', rule, toForm(form), options),
    pause: (rule: Ref, options?: PostOptions) => api.change('/allocation-rules/{id}', rule, { paused: true }, options),
    resume: (rule: Ref, options?: PostOptions) => api.change('/allocation-rules/{id}', rule, { paused: false }, options),
    /** The rule remains readable. */
    remove: (rule: Ref, options?: CallOptions) => api.remove('/allocation-rules/{id}', rule, options),
    /** What a deposit of this amount would move to labels now. */
    preview: (customer: Ref, amount: Amount, options?: PostOptions) =>
      api.change('/customers/{id}/allocation-rules/preview', customer, { amount }, options),
  };
}

export function batchCalls(api: Api, baseUrl: string) {
  return {
    /** The result has the batch in `body`: read `refused` of an independent one. */
    create: ({ mode, items, withdrawals }: Batch, options?: PostOptions) =>
      api.submit(
        '/label-reallocation-batches',
        {
          mode,
          ...(items && { items: items.map((item) => linked(baseUrl, item)) }),
          ...(withdrawals && {
            withdrawals: withdrawals.map(({ from, ...rest }) => ({
              _links: { from: { href: hrefOf(baseUrl, 'labels', from) } },
              ...rest,
            })),
          }),
        },
        options,
      ),
    get: (batch: Ref, options?: CallOptions) => api.get('/label-reallocation-batches/{id}', batch, options),
  };
}

function linked(baseUrl: string, { from, to, ...rest }: Reallocation) {
  const link = (label: Ref) => ({ href: hrefOf(baseUrl, 'labels', label) });
  return { _links: { from: link(from), to: link(to) }, ...rest };
}
