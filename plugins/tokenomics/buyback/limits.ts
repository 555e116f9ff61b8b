/** Currencies that one run looks at. */
export const CURRENCIES_MAX = 8;

/** Pools that one run looks at for a currency. */
export const FEE_TIERS_MAX = 6;

/** Runs begin this far apart: each of these spans has at most one. */
export const SLOT_MS = 600_000;

/** Past this the job is called off. What was recorded by then is carried out all the same. */
export const RUN_TIMEOUT_MS = 300_000;

/** So long a run counts for the day's maximum, and may still change by a reorganised chain. */
export const RUN_OPEN_MS = 86_400_000;

/** Runs that are over are kept so long; what they spent is kept for ever, as a sum. */
export const RUN_KEPT_MS = 90 * 86_400_000;

/** Older runs that one turn takes into the sums. */
export const FOLDED_MAX = 500;

/** Gas that one run takes, generously: a release, two allowances, a purchase. */
export const RUN_GAS = 1_000_000n;

/** A plan is not sent so near to its own deadline. */
export const DEADLINE_MARGIN_MS = 3_000;

export const BPS = 10_000n;
