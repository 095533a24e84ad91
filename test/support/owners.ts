// A business customer whose beneficial owners are tested.
import { type Fields, ownerForm as form } from './data.ts';
import { allEvents } from './events.ts';
import { idOf } from './http.ts';
import type { TestService } from './service.ts';

export const incomplete = { ...form, firstName: 'incomplete' };

export const notFound = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };

/** Opens a service with a new customer. */
export async function openBusiness(service: TestService) {
  const { call, sql, create: make, get } = service;
  const customer = await service.newCustomer();
  return {
    ...service,
    customer,
    add: (body: Fields, to = customer) => call('POST', `${to}/beneficial-owners`, { body }),
    create: (body: Fields, to = customer) => make(`${to}/beneficial-owners`, body),
    change: (url: string, body: Fields) => call('POST', url, { body }),
    certify: (to = customer) => call('POST', `${to}/beneficial-ownership`, { body: { status: 'certified' } }),
    ownership: async (of = customer): Promise<string> => (await get(`${of}/beneficial-ownership`)).status,
    topics: async (url: string) => {
      const rows = await sql<{ topic: string }>`
        select topic from ${await allEvents(sql)}
        where resource_id = ${idOf(url)} and customer_id = ${idOf(customer)} and account_id = ${service.client.account_id}
        order by id`;
      return rows.map((row) => row.topic.replace('customer_beneficial_owner_', ''));
    },
    /** The state that a refused call must leave unchanged. */
    written: async () => [
      await service.snapshot(),
      await sql`select to_jsonb(o) as owner from beneficial_owner o order by id`,
      await sql`select to_jsonb(o) as ownership from beneficial_ownership o order by customer_id`,
    ],
  };
}
