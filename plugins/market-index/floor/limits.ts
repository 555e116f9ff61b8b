/** A changed floor is kept at most this often, an unchanged one at least this often. */
export const SNAPSHOT_CHANGED_MS = 60_000;
export const SNAPSHOT_SAME_MS = 900_000;

/** Beyond two days one snapshot an hour is kept, beyond 90 days none. */
export const SNAPSHOTS_ALL_MS = 2 * 86_400_000;
export const SNAPSHOTS_KEPT_MS = 90 * 86_400_000;
export const SNAPSHOT_PRUNE_EVERY_MS = 3_600_000;
export const SNAPSHOTS_PER_STATEMENT_MAX = 5_000;
