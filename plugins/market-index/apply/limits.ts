/** Collections of live batches that a process remembers: a few megabytes. */
export const COLLECTIONS_REMEMBERED_MAX = 10_000;
