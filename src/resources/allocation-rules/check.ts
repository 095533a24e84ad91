// Checks the steps of an allocation rule against the customer's labels, and reports all faults together.
import { parseAmount } from '../../core/money/money.ts';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { findLabel, type Label } from '../labels/label.ts';
import type { AllocationRuleRequest, Step } from './allocation-rule.ts';
import { parsePercent, WHOLE } from './share.ts';

type RequestedStep = AllocationRuleRequest['steps'][number];
type Amount = NonNullable<RequestedStep['amount']>;

/**
 * Returns the steps of a request with the currency of their labels. Refusals, in this order: BadRequest for an href that is not a
 * label, NotFound for a label that does not exist or is removed, Forbidden for another account's label, ValidationError.
 */
export async function requireSteps(
  sql: Sql,
  links: Links,
  customer: { id: string; accountId: string },
  requested: RequestedStep[],
): Promise<{ steps: Step[]; currency: string }> {
  const ids = requested.map(({ label }) => links.idIn(label.href, 'label'));
  if (!ids.every((id) => id !== undefined)) {
    const wrong = requested.map(({ label }, index) => links.faultOf(label.href, 'label', `/steps/${index}/label/href`));
    throw refuse('badRequest', { faults: wrong.filter((_, index) => ids[index] === undefined) });
  }
  const labels: Label[] = [];
  for (const id of ids) {
    const label = await findLabel(sql, id);
    labels.push(requireOwned(label?.removed ? undefined : label, customer, { missing: 'labelNotFound' }));
  }
  const { currency } = labels[0]!;
  const faults: Fault[] = [];
  const steps = requested.map((step, index) => {
    const path = `/steps/${index}`;
    const label = labels[index]!;
    if (label.customerId !== customer.id) {
      faults.push({ code: 'Invalid', message: 'Label must belong to the customer.', path: `${path}/label/href` });
    } else if (label.currency !== currency) {
      faults.push({ code: 'Invalid', message: 'Labels must have one currency.', path: `${path}/label/href` });
    }
    return readStep(step, { label, path, faults });
  });
  const total = steps.reduce((sum, { percent = 0n }) => sum + percent, 0n);
  if (total > WHOLE) faults.push({ code: 'Invalid', message: 'Percentages must add up to at most 100.', path: '/steps' });
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
  return { steps, currency };
}

type Place = { label: Label; path: string; faults: Fault[] };

/** Reads one step, and adds its faults to the list. */
function readStep({ percent, amount, until }: RequestedStep, place: Place): Step {
  const { label, path, faults } = place;
  const step: Step = { labelId: label.id };
  if (percent === undefined && amount === undefined) {
    faults.push({ code: 'Required', message: 'A step must have percent or amount.', path: `${path}/percent` });
  }
  if (percent !== undefined && amount !== undefined) {
    faults.push({ code: 'NotAllowed', message: 'A step has either percent or amount.', path: `${path}/amount` });
  }
  if (percent !== undefined) {
    const share = parsePercent(percent);
    if (share !== undefined) step.percent = share;
    else {
      const message = 'Percent must be above 0 and at most 100.00, with at most two decimals.';
      faults.push({ code: 'InvalidFormat', message, path: `${path}/percent` });
    }
  }
  if (amount !== undefined) step.amount = readAmountAt(amount, `${path}/amount`, place);
  if (until !== undefined) step.until = readAmountAt(until, `${path}/until`, place);
  return step;
}

function readAmountAt(amount: Amount, path: string, { label, faults }: Place): bigint {
  const parsed = parseAmount(amount);
  if ('code' in parsed) {
    const { code, message, member } = parsed;
    faults.push({ code, message, path: `${path}/${member}` });
    return 0n;
  }
  if (amount.currency !== label.currency) {
    faults.push({ code: 'Invalid', message: 'Currency must be that of the label.', path: `${path}/currency` });
  } else if (parsed.minorUnits === 0n) {
    faults.push({ code: 'Invalid', message: 'Amount must be greater than zero.', path: `${path}/value` });
  }
  return parsed.minorUnits;
}
