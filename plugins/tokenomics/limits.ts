/** Blocks on top of an event, as for payments. */
export const FINAL_DEPTH_DEFAULT = 64;

/** What one look at contracts may take. */
export const CHECK_TIMEOUT_MS = 10_000;

/** What a view of a contract may burn: as gas of a call, in hex. */
export const VIEW_GAS = "0x7a120";

/** Blocks that are asked for at once; a node that refuses so many is asked for fewer. */
export const RANGE_BLOCKS_MAX = 10_000;

/** How often what is final is looked for. */
export const LEDGER_EVERY_MS = 15_000;
export const LEDGER_TIMEOUT_MS = 300_000;

/** How often the ledger is compared with the chain. */
export const COMPARE_EVERY_MS = 3_600_000;

/** Beyond it operators are told that ledger and chain were not compared. */
export const COMPARE_OVERDUE_MS = 3 * COMPARE_EVERY_MS;

/** Behind by so much although it is running: nodes do not answer, or refuse. */
export const LEDGER_BEHIND_MS = 900_000;

/** Currencies of the router, and holders of the token, that one comparison asks about. */
export const COMPARED_CURRENCIES = 50;
export const COMPARED_HOLDERS = 20;

/** Currencies of revenue that are named and shown. */
export const SHOWN_CURRENCIES = 20;

/** Rows of one export: what a spreadsheet opens, and an answer holds. */
export const EXPORT_ROWS_MAX = 10_000;

/** Figures are put together at most so often; their ages are told by the request. */
export const ECONOMICS_FRESH_MS = 1_000;

/** Traders that are kept of a season, and shown. */
export const STANDINGS_KEPT = 100;
export const STANDINGS_SHOWN = 10;
export const LEAGUE_EVERY_MS = 300_000;
export const LEAGUE_TIMEOUT_MS = 120_000;
