// The manifest of balance monitors.
import { type Manifest, resetOfAccount, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

const ofCustomers = resetOfCustomers('balance_monitor');
const ofAccount = resetOfAccount('monitored_feed');

export const balanceMonitors = {
  tags: [{ name: 'balance monitors', description: 'Events when the amount of a label crosses a threshold' }],
  topics: {
    customer_label_balance_crossed: { resource: 'monitor', about: 'The amount of a label crossed the threshold of a monitor' },
  },
  idempotent: { monitor: rowOf('balance_monitor') },
  reset: {
    tables: [...ofCustomers.tables, ...ofAccount.tables],
    run: async (tx, owned) => ({ ...(await ofCustomers.run(tx, owned)), ...(await ofAccount.run(tx, owned)) }),
  },
} satisfies Manifest;
