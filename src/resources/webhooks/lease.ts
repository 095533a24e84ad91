// The lease under which a worker claims deliveries.

export const LEASE_MS = 60_000;
