// The calls of holds.
import type { Api, CallOptions, Form, PostOptions, Query } from './api.ts';
import { hrefOf, type Ref } from './reference.ts';

/** `from`: a label. */
type HoldForm = Omit<Form<'/customers/{id}/holds'>, '_links'> & { from?: Ref };
/** `to`: a label. */
type CaptureForm = Omit<Form<'/holds/{id}/captures'>, '_links'> & { to?: Ref };

export function holdCalls(api: Api, baseUrl: string) {
  return {
    /** Of a label, or of the available balance. */
    create: (customer: Ref, { from, ...form }: HoldForm, options?: PostOptions) => {
      const _links = from && { from: { href: hrefOf(baseUrl, 'labels', from) } };
      return api.create('/customers/{id}/holds', customer, { ...form, ...(_links && { _links }) }, options);
    },
    get: (hold: Ref, options?: CallOptions) => api.get('/holds/{id}', hold, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/holds'>, options?: CallOptions) =>
      api.list('/customers/{id}/holds', customer, query, options),
    /** Moves what is held, or `amount` of it, to a label, or out of the customer without `to`. The result is the hold. */
    capture: (hold: Ref, { to, ...form }: CaptureForm = {}, options?: PostOptions) => {
      const _links = to && { to: { href: hrefOf(baseUrl, 'labels', to) } };
      return api.create('/holds/{id}/captures', hold, { ...form, ...(_links && { _links }) }, options);
    },
    /** Makes what is held available again. */
    release: (hold: Ref, options?: PostOptions) => api.change('/holds/{id}/releases', hold, undefined, options),
  };
}
