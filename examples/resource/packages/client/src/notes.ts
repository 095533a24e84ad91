// The calls about notes.
import type { Api, CallOptions, Form, PostOptions, Query } from './api.ts';
import type { Ref } from './reference.ts';

export function noteCalls(api: Api) {
  return {
    create: (customer: Ref, form: Form<'/customers/{id}/notes'>, options?: PostOptions) =>
      api.create('/customers/{id}/notes', customer, form, options),
    get: (note: Ref, options?: CallOptions) => api.get('/notes/{id}', note, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/notes'>, options?: CallOptions) =>
      api.list('/customers/{id}/notes', customer, query, options),
  };
}
