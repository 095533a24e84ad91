// Bounds of options, which declarations show and commands check.

export const OVERLAP_HOURS = { fallback: '24', max: 24 * 90 };
export const VERIFY_EVERY_SECONDS = { fallback: 60, min: 1, max: 604_800 };
export const LISTED_WEBHOOKS_MAX = 100;

/** Maximum number of schedules in `schedules list`. */
export const LISTED_SCHEDULES_MAX = 100;
