/** How often new rows are sealed: so old is the newest row that somebody could change unnoticed. */
export const SEAL_EVERY_MS = 5_000;
export const SEAL_TIMEOUT_MS = 60_000;
/** Rows of one table in a batch, about: `verify` holds one batch in memory, 0.5 MB. */
export const BATCH_ROWS_MAX = 5_000;
/** Transactions that are open while a batch is sealed: its entry names them, in 8 KiB. */
export const OPEN_MAX = 200;
/** Where nothing is new, that is sealed too, so often: it dates what comes later. */
export const IDLE_SEAL_EVERY_MS = 3_600_000;
/** A row that claims to be older than the batches before it by more than this was put in later. */
export const LATE_AFTER_MS = 3_600_000;
/** Flaws that are named; more are counted. */
export const FLAWS_MAX = 100;
