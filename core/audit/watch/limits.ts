/** How often it is looked whether sealing keeps up, and from when on it does not. */
export const AUDIT_WATCH_EVERY_MS = 10_000;
export const SEALING_BEHIND_AFTER_MS = 60_000;
/** How often the newest part of the chain is verified, how much of it, and of each book. */
export const AUDIT_VERIFY_EVERY_MS = 300_000;
export const NEWEST_ENTRIES = 400;
export const NEWEST_BATCHES = 5;
/** An answer is given again for so long, whoever asks. */
export const AUDIT_FRESH_MS = 5_000;
export const AUDIT_TIMEOUT_MS = 60_000;
