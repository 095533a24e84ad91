// A new account whose customers are tested.
import type { Fields } from './data.ts';
import { idOf } from './http.ts';
import type { TestService } from './service.ts';

/** Opens a new account of a service. */
export async function openAccount(service: TestService) {
  const platform = await service.newPlatform();
  const topics = async (url: string) => {
    const rows = await service.sql<{ topic: string }>`
      select topic from event where customer_id = ${idOf(url)} and resource_id = ${idOf(url)} order by id`;
    return rows.map((row) => row.topic);
  };
  return {
    ...service,
    ...platform,
    create: (form: Fields) => platform.create('/customers', form),
    change: (url: string, body: Fields) => platform.call('POST', url, { body }),
    topics,
  };
}
