/** More live mints than this in one lane run of a topic go out as one `snapshot_required`. */
export const MINT_FRAMES_MAX = 40;

/** From this many rows on, COPY is faster than binding arrays. */
export const COPY_ROWS_MIN = 500;

/** Collections of live batches that a process remembers: a few megabytes. */
export const COLLECTIONS_REMEMBERED_MAX = 10_000;

/** Partitions are made for block times between these years; any other time has its own table. */
export const PARTITION_YEAR_MIN = 2015;
export const PARTITION_YEAR_MAX = 2099;

/** Characters kept of a name or an image that a contract tells. */
export const NAME_LENGTH_MAX = 256;
export const IMAGE_LENGTH_MAX = 32_768;

/** Lists: default and largest page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/**
 * How long after a mint a contract is asked for its supply again, once for all mints until then.
 */
export const SUPPLY_REFRESH_MS = 10_000;

/** A sold-out collection is presented as such for this long after its last mint. */
export const SOLD_OUT_SHOWN_MS = 900_000;

/** Contracts that one metadata job asks: four views each fill one request of 100 calls. */
export const COLLECTIONS_PER_JOB_MAX = 25;

/** Retractions that a topic's subscribers are told one by one; more, and they read anew. */
export const RETRACTIONS_PER_TOPIC_MAX = 1_000;

/** Events are kept for at least so long: the longest range that a route offers is 30 days. */
export const RETENTION_DAYS_MIN = 35;

/** Ten years, and some: more is a slip of the finger. */
export const RETENTION_DAYS_MAX = 4_000;

/**
 * Contracts a chain whose owners are kept, unless the operator says otherwise. Each costs a row of
 * the lane's address filter and one walk: 500 are five queries a block, and hours of walking.
 */
export const WATCHED_DEFAULT = 500;
export const WATCHED_MOST = 5_000;

/** Contracts that come to be watched in one transaction. */
export const WATCHED_PER_TURN_MAX = 100;

/** How often recipients are counted anew, for how many collections, and for how long. */
export const RECIPIENTS_EVERY_MS = 10_000;
export const RECIPIENTS_COLLECTIONS_MAX = 100;
export const RECIPIENTS_BUSY_MS = 250;

/** Without a mint or a sale for so long a collection gives its place to an active one. */
export const SILENT_DAYS = 7;
export const REPLACE_EVERY_MS = 60_000;

/** How often owners that are not kept any more are cleared away, for how long, rows at a time. */
export const GARBAGE_EVERY_MS = 5_000;
export const GARBAGE_BUSY_MS = 250;
export const GARBAGE_ROWS_MAX = 1_000;

/** Price levels told of each side of an order book. */
export const DEPTH_LEVELS_MAX = 50;

/** How often drops are read, and so the pause after the provider refused. */
export const DROPS_EVERY_MS = 300_000;
export const DROP_CONCURRENCY = 2;
/** Calls about drops, by all processes: a third of the provider's minute. */
export const DROP_CALLS_PER_MINUTE = 40;
/** Of each list, a run. */
export const DROP_PAGES_MAX = 3;
/** Drops that are asked for one by one, a run. */
export const DROP_DETAILS_MAX = 30;

/** A quote's listings: what one purchase of several tokens may fill. */
export const QUOTE_LISTINGS_MAX = 50;
/** How long a quote waits for the chain's gas price. */
export const GAS_PRICE_TIMEOUT_MS = 2_000;
/**
 * Gas of filling one Seaport listing, and of each further one in the same transaction: the upper
 * end of what the sandbox's sales take (103,000 to 192,000; two 210,000 to 272,000).
 */
export const GAS_OF_A_FIRST_FILL = 190_000n;
export const GAS_OF_ANOTHER_FILL = 95_000n;

/** Events of the provider that are merged in one transaction, under the chain's lock. */
export const MERGE_ROWS_MAX = 200;
/** Two sources may differ by so much about when one event was. */
export const MATCH_WINDOW_MS = 600_000;
/** A provider's event may lie ahead of our clock by so much. */
export const FUTURE_MAX_MS = 3_600_000;
/** Events of the provider no older than this are told one by one, as those of a live block are. */
export const TOLD_LIVE_MS = 600_000;
/** For how long a measured pace of a chain is good. */
export const PACE_AGE_MAX_MS = 600_000;

/**
 * How often events whose rate became known are priced, for how long in one go, how many under one
 * hold of the chain's lock, and after which rest a failure is tried again.
 */
export const REPRICE_EVERY_MS = 2_000;
export const REPRICE_BUSY_MS = 500;
export const REPRICE_ROWS_MAX = 40;
export const REPRICE_RETRY_MS = 30_000;

/** Events that a part may price and still tell each candle; more, and topics are read anew. */
export const REPRICE_TOLD_MAX = 20;

/** A billion ETH: more than there is. An amount above it that nobody's chain proves is no price. */
export const WEI_PAID_MAX = 10n ** 27n;

/**
 * An event of a block that left the chain, and that only the provider still tells, is doubted once
 * its lane is so many blocks further and so much time has passed: no longer than a transaction of a
 * lost block waits to be mined again.
 */
export const DOUBT_AFTER_MS = 600_000;
export const DOUBT_AFTER_BLOCKS = 64;
export const DOUBT_EVERY_MS = 60_000;
/** Taken out under one hold of the chain's lock. */
export const DOUBTED_PER_PART_MAX = 20;
