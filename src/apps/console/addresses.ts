// The first pages of the screens of the console, below which their others are.

export const APPLICATIONS = '/console/applications';
export const CLOSE = '/console/close';
export const CUSTOMERS = '/console/customers';
export const MONEY = '/console/money';
export const PEOPLE = '/console/people';
export const POLICIES = '/console/policies';
export const SANDBOX = '/console/sandbox';
export const TRANSFERS = '/console/money/transfers';
export const WEBHOOKS = '/console/webhooks';
