// The actions of the screen Sandbox: the verbs of the sandbox routes, with a row of the audit log each.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { checkFault, findFault, planFault, removeFault } from '../../../platform/sandbox/fault.ts';
import type { SandboxTools } from '../../../platform/sandbox/tools.ts';
import { requireForm } from '../../../resources/customers/check.ts';
import { createCustomer } from '../../../resources/customers/create.ts';
import { advanceClock } from '../../sandbox/advance.ts';
import { expire } from '../../sandbox/expire.ts';
import { requireSandbox } from '../../sandbox/require-sandbox.ts';
import { resetAccount } from '../../sandbox/reset.ts';
import type { Service } from '../../service/service.ts';
import { SANDBOX as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';
import { requireAccount } from './account.ts';
import { FAULTS, STEPS } from './sandbox-forms.ts';
import { formOf, SCRIPTS } from './scripts.ts';

const TIMES_MAX = 10_000;

export function addSandboxActions(pages: Pages, service: Service, tools: SandboxTools): void {
  addClock(pages, service, tools);
  addFaults(pages, service, tools);
  addScriptedCustomer(pages, service);
  addReset(pages, service, tools);
}

function addClock(pages: Pages, service: Service, tools: SandboxTools): void {
  pages.action(`${HREF}/clock`, 'useSandbox', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    const step = STEPS.find(({ seconds }) => String(seconds) === form.get('seconds'));
    if (!step) throw refuse('badRequest', { message: 'Choose how far.' });
    await service.database.transaction(async (tx) => {
      await advanceClock(tx, accountId, step.seconds * 1000, service.clock.now());
      await audit({ action: 'advance_clock', resource: { type: 'account', id: accountId }, detail: { by: step.label } }, tx);
    });
    await tools.refresh();
    await expire(service, accountId);
    return `${HREF}?account=${accountId}&done=clock`;
  });
}

function addFaults(pages: Pages, service: Service, tools: SandboxTools): void {
  const { database, clock } = service;
  pages.action(`${HREF}/faults`, 'useSandbox', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    const fault = form.get('fault') ?? '';
    const times = Number(form.get('times'));
    if (!Object.hasOwn(FAULTS, fault)) throw refuse('badRequest', { message: 'Choose what happens.' });
    if (!Number.isInteger(times) || times < 1 || times > TIMES_MAX) {
      throw refuse('badRequest', { message: `Choose from 1 to ${TIMES_MAX.toLocaleString('en')} requests.` });
    }
    const request = { operation: form.get('operation') ?? '', times, ...FAULTS[fault as keyof typeof FAULTS].request };
    checkFault(request, tools.operations);
    await database.transaction(async (tx) => {
      const id = await planFault(tx, accountId, request, clock.now(accountId));
      await audit({ action: 'plan_fault', resource: { type: 'fault', id }, detail: request }, tx);
    });
    await tools.refresh();
    return `${HREF}?account=${accountId}&done=fault`;
  });
  pages.action(`${HREF}/faults/:id/remove`, 'useSandbox', async ({ params, audit }) => {
    await requireSandbox(service);
    const id = params.id!;
    const fault = isId(id) ? await findFault(database.sql, id) : undefined;
    if (!fault) throw refuse('notFound', { message: 'The fault is used up, or somebody removed it.' });
    await database.transaction(async (tx) => {
      await removeFault(tx, id);
      await audit({ action: 'remove_fault', resource: { type: 'fault', id } }, tx);
    });
    await tools.refresh();
    return `${HREF}?account=${fault.accountId}&done=removed`;
  });
}

function addScriptedCustomer(pages: Pages, service: Service): void {
  const { config, sealer, clock, database } = service;
  pages.action(`${HREF}/customers`, 'useSandbox', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    const script = form.get('script') ?? '';
    if (!Object.hasOwn(SCRIPTS, script)) throw refuse('badRequest', { message: 'Choose an outcome.' });
    const customer = requireForm(formOf(SCRIPTS[script as keyof typeof SCRIPTS]));
    const id = await database.transaction(async (tx) => {
      const { id } = await createCustomer(tx, { mode: config.mode, sealer }, accountId, customer, clock.now(accountId));
      await audit({ action: 'add_customer', resource: { type: 'customer', id }, detail: { script } }, tx);
      return id;
    });
    return `/console/customers/${id}`;
  });
}

function addReset(pages: Pages, service: Service, tools: SandboxTools): void {
  pages.action(`${HREF}/reset`, 'useSandbox', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    if (form.get('sure') !== 'yes')
      throw refuse('badRequest', { message: 'Tick the box: everything of the account is deleted.' });
    await service.database.transaction(async (tx) => {
      const removed = await resetAccount(tx, service, accountId);
      await audit({ action: 'reset_account', resource: { type: 'account', id: accountId }, detail: removed }, tx);
    });
    await tools.refresh();
    return `${HREF}?account=${accountId}&done=reset`;
  });
}
