/** Characters kept of a contract's name or image. */
export const NAME_LENGTH_MAX = 256;
export const IMAGE_LENGTH_MAX = 32_768;

/**
 * How long after a mint a contract is asked for its supply again, once for all mints until then.
 */
export const SUPPLY_REFRESH_MS = 10_000;

/** The shortest rest between owed names while a lane is behind. */
export const OWED_REST_MIN_MS = 1_000;

/** Contracts of one metadata job: their four views each fill one request of 100 calls. */
export const COLLECTIONS_PER_JOB_MAX = 25;
