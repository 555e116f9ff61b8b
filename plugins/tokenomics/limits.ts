/** Blocks on top of an event, as for payments. */
export const FINAL_DEPTH_DEFAULT = 64;

/** What one look at contracts may take. */
export const CHECK_TIMEOUT_MS = 10_000;

/** What a view of a contract may burn: as gas of a call, in hex. */
export const VIEW_GAS = "0x7a120";
