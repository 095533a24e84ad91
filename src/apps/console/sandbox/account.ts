// The account of a form of the screen Sandbox.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import { requireSandbox } from '../../sandbox/require-sandbox.ts';
import type { Service } from '../../service/service.ts';

/** Refuses unless the database is a sandbox. */
export async function requireAccount(service: Pick<Service, 'database'>, form: URLSearchParams): Promise<string> {
  await requireSandbox(service);
  const id = form.get('account') ?? '';
  if (!isId(id) || !(await findAccount(service.database.sql, id))) throw refuse('notFound');
  return id;
}
