// The first pages of the screens of the console, below which their others are, and pages that other screens name.

export const APPLICATIONS = '/console/applications';
export const CLOSE = '/console/close';
export const CUSTOMERS = '/console/customers';
export const MONEY = '/console/money';
export const PEOPLE = '/console/people';
export const POLICIES = '/console/policies';
export const SANDBOX = '/console/sandbox';
export const TRANSFERS = '/console/money/transfers';
export const WEBHOOKS = '/console/webhooks';

export function holdHref({ customerId, holdId }: { customerId: string; holdId: string }): string {
  return `${CUSTOMERS}/${customerId}/holds/${holdId}`;
}
