// Allocation rules made and deleted by people.
import { Refusal, refuse } from '../../../core/problems.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import {
  type AllocationRule,
  AllocationRuleRequest,
  findAllocationRule,
} from '../../../resources/allocation-rules/allocation-rule.ts';
import { createAllocationRule, deleteAllocationRule } from '../../../resources/allocation-rules/change.ts';
import type { Service } from '../../service/service.ts';
import { labelField } from '../ledger/label-choice.ts';
import type { Pages, Visit } from '../screen.ts';
import { type Choice, select } from '../select.ts';
import { addCreating } from './creating.ts';
import { addEnding } from './ending.ts';
import { input, type Owner, requireChosenLabel, requireTypedAmount, requireValid, textIn, withAllFaults } from './plan-form.ts';

/** Of a form; a rule has at most twenty. The others are under *More steps*. */
const STEPS = { shown: 4, most: 20 };
const STEP_PATH = /^\/steps\/(\d+)/;
const SHARES: Choice[] = [
  { value: 'percent', text: 'percent' },
  { value: 'amount', text: 'amount' },
];

type Steps = AllocationRuleRequest['steps'];

const ruleErrors = validatorOf(AllocationRuleRequest);

export function addRuleForms(pages: Pages, service: Service): void {
  addNewRule(pages, service);
  addEnding<AllocationRule>(pages, service, {
    ...{ folder: 'allocation-rules', word: 'delete', action: 'delete_allocation_rule', type: 'allocation-rule' },
    ...{ title: 'Delete this allocation rule?', verb: 'Delete it', done: 'undivided', isNear: false },
    find: (sql, id) => findAllocationRule(sql, id),
    effect: ({ currency }) => `Further deposits in ${currency} stay available. What was divided stays as it is.`,
    factsOf: ({ name, steps, paused }) => [
      ['Name', name],
      ['Steps', String(steps.length)],
      ['State', paused ? 'paused' : 'active'],
    ],
    end: async (tx, { accountId, id }, now) => (await deleteAllocationRule(tx, { accountId }, id, now)).id,
  });
}

function addNewRule(pages: Pages, service: Service): void {
  addCreating(pages, service, {
    ...{ folder: 'allocation-rules', action: 'create_allocation_rule', type: 'allocation-rule', done: 'divided', isNear: false },
    ...{ title: 'Divide deposits', verb: 'Create the rule' },
    lead: 'Each further deposit is divided by these steps, in their order. What is left stays available.',
    missing: ({ offered }) => (offered.total === 0 ? 'A rule moves parts of deposits to labels.' : undefined),
    fields: ruleFields,
    read: (owner, form) => readRule(service, owner, form),
    check: ({ request }) => requireValid(ruleErrors, request),
    create: async (tx, { customer }, { request }, now) =>
      (await createAllocationRule(tx, service.links, customer, request, now)).id,
    explain(refusal, { numbers }) {
      return withAllFaults(refusal, ({ path: pointer = '' }) => {
        const index = STEP_PATH.exec(pointer)?.[1];
        return index === undefined ? '' : `Step ${numbers[Number(index)]}: `;
      });
    },
  });
}

function ruleFields(owner: Owner, { kept }: Pick<Visit, 'kept'>): Html {
  const numbers = Array.from({ length: STEPS.most }, (_, index) => index + 1);
  const steps = numbers.map((number) => stepFields(owner, number));
  const isMoreGiven = (kept.form?.fields ?? []).some(
    ([name, value]) => value !== '' && Number(/^label(\d+)$/.exec(name)?.[1]) > STEPS.shown,
  );
  return html`${input({ id: 'name', label: 'Name', hint: 'Such as Set aside taxes.', isRequired: true })} ${steps.slice(0, STEPS.shown)}
    <details open=${isMoreGiven}>
      <summary>More steps</summary>
      ${steps.slice(STEPS.shown)}
    </details>`;
}

function stepFields({ offered }: Owner, number: number): Html {
  const others = [{ value: '', text: number === 1 ? 'Choose a label' : 'No further step' }];
  return html`<fieldset class="step">
    <legend>Step ${number}</legend>
    ${labelField({ id: `label${number}`, label: 'To' }, offered, { others })} ${select({ id: `share${number}`, label: 'Takes' }, SHARES)}
    ${input({ id: `value${number}`, label: 'How much' }, true)} ${input({ id: `until${number}`, label: 'Until the label has' }, true)}
  </fieldset>`;
}

/** `numbers`: the number in the form of each step. */
function readRule(
  { links }: Pick<Service, 'links'>,
  owner: Owner,
  form: URLSearchParams,
): { request: AllocationRuleRequest; numbers: number[] } {
  const steps: Steps = [];
  const numbers: number[] = [];
  for (let number = 1; number <= STEPS.most; number++) {
    const [labelId, value, until] = ['label', 'value', 'until'].map((name) => textIn(form, `${name}${number}`));
    if (labelId === '' && value === '' && until === '') continue;
    const label = requireChosenLabel(owner, labelId!, `the label of step ${number}`);
    const typed = (text: string) => inStep(number, () => requireTypedAmount(text, label.currency));
    if (value === '') throw refuse('badRequest', { message: `Step ${number} needs a percentage or an amount.` });
    const isAmount = textIn(form, `share${number}`) === 'amount';
    steps.push({
      label: { href: links.to('label', label.id).href },
      ...(isAmount ? { amount: typed(value!) } : { percent: percentIn(value!) }),
      ...(until !== '' && { until: typed(until!) }),
    });
    numbers.push(number);
  }
  if (steps.length === 0) throw refuse('badRequest', { message: 'Choose the label of at least one step.' });
  return { request: { name: textIn(form, 'name'), steps }, numbers };
}

/** `25 %` → `25` */
function percentIn(text: string): string {
  return text.endsWith('%') ? text.slice(0, -1).trimEnd() : text;
}

/** Says in a refusal which step it is about. */
function inStep<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw refuse(error.problem, { message: `Step ${number}: ${error.message}` });
    throw error;
  }
}
