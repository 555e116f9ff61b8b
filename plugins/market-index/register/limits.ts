/**
 * How often collections are looked for that lack metadata or tokens, how long after registration,
 * and how many of either are queued at once.
 */
export const REPAIR_EVERY_MS = 600_000;
export const LACKING_AFTER_MS = 600_000;
export const REPAIRED_PER_TICK_MAX = 2_000;
