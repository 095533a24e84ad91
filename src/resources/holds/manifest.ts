// The manifest of holds.
import { creationsIn, type Manifest, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

export const holds = {
  tags: [{ name: 'holds', description: 'Money that is kept from being spent until it is captured, released, or expires' }],
  topics: {
    customer_hold_created: { resource: 'hold', about: 'A hold was created', created: creationsIn('hold') },
    customer_hold_captured: { resource: 'hold', about: 'Money of a hold was moved' },
    customer_hold_released: { resource: 'hold', about: 'A hold was released' },
    customer_hold_expired: { resource: 'hold', about: 'A hold expired' },
  },
  idempotent: { hold: rowOf('hold') },
  reset: resetOfCustomers('hold'),
} satisfies Manifest;
