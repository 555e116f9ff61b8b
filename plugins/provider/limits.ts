/** The adapter's name in `members.provider`. */
export const PROVIDER_ID = "opensea";

/** The base URL where only a key is configured. */
export const PROVIDER_BASE_URL_DEFAULT = "https://api.opensea.io";
export const STREAM_URL_DEFAULT = "wss://stream-api.opensea.io/socket/websocket";

/** A page of 200 orders with their signatures is about 1 MB. */
export const BODY_BYTES_MAX = 8 * 1_024 * 1_024;
/** Limits the bytes of a refusal that are read, for the log. */
export const REFUSAL_BYTES_MAX = 16 * 1_024;
export const REFUSAL_LENGTH_MAX = 300;
/** Limits a call, from its first byte to the answer's last. */
export const CALL_TIMEOUT_MS = 10_000;

/** Calls of one process begin this far apart. */
export const CALL_DISTANCE_MS = 250;
/** The provider's limit for a key, all processes together. */
export const CALLS_PER_MINUTE_MAX = 120;
/** Calls of the minute that background work leaves to clients. */
export const CALLS_FOR_CLIENTS = 20;
/** Calls that pages and searches leave to buyers, and to books of plans that are due. */
export const CALLS_FOR_BUYERS = 10;
/** Calls, of those for buyers, that plans' books leave to buys. */
export const CALLS_FOR_FULFILMENTS = 5;
/**
 * Limits the remaining calls that background and endless work may take; the rest is kept for the
 * other.
 */
export const CALLS_OF_BACKGROUND_MAX = 60;
export const CALLS_OF_ENDLESS_MAX = 50;
/** The limit of all calls for clients: at least 30 of the minute are left to the background. */
export const CALLS_OF_CLIENTS_MAX = 70;
/** Limits calls for pages and for searches, within the calls of clients. */
export const CALLS_OF_VIEWS_MAX = 40;
export const CALLS_OF_SEARCHES_MAX = 15;
/** The limit of books of due plans: the rest is for their buys. */
export const CALLS_OF_PLANS_MAX = 15;
/** A wait for the provider up to this long is waited out; a longer one is reported. */
export const BLOCK_WAITED_OUT_MS = 3_000;
/** The longest wait that a header can cause. */
export const BLOCK_MAX_MS = 5 * 60_000;
/** The wait after a 429 without a time; doubled for each that follows, up to a minute. */
export const BLOCK_DEFAULT_MS = 1_000;
export const BLOCK_DEFAULT_MAX_MS = 60_000;
/** Calls that may wait for their turn: ten seconds' worth. */
export const QUEUE_CALLS_MAX = 40;
/** Limits waiting calls for pages and searches: a crowd of them leaves room to all others. */
export const PAGE_CALLS_WAITING_MAX = 24;
/**
 * Calls under way, each with a body of at most 8 MiB; those of the background leave room for
 * clients.
 */
export const CALLS_UNDER_WAY_MAX = 8;
export const BACKGROUND_UNDER_WAY_MAX = 6;

/** The provider's largest page. */
export const ROWS_PER_PAGE_MAX = 200;
export const COLLECTIONS_PER_PAGE_MAX = 100;
export const TOP_PER_PAGE_MAX = 50;
export const SEARCH_HITS_MAX = 50;
export const SEARCH_LENGTH_MAX = 200;
export const CURSOR_LENGTH_MAX = 4_096;

export const NAME_LENGTH_MAX = 256;
export const PROSE_LENGTH_MAX = 8_192;
export const SYMBOL_LENGTH_MAX = 32;

/** The most of a row that is kept as it was sent. */
export const RAW_BYTES_MAX = 64 * 1_024;
/** A fulfilment of many orders is longer than a row, and is never shortened. */
export const FULFILMENT_BYTES_MAX = 512 * 1_024;
export const RAW_DEPTH_MAX = 16;
export const FULFILMENT_ORDERS_MAX = 64;

export const CONTRACTS_PER_COLLECTION_MAX = 64;
export const FEES_PER_COLLECTION_MAX = 32;
export const TRAITS_PER_TOKEN_MAX = 256;
export const CRITERIA_PER_ORDER_MAX = 64;
export const ITEMS_PER_ORDER_MAX = 256;
export const STAGES_PER_DROP_MAX = 64;
export const TRAIT_TYPES_MAX = 256;
export const TRAIT_VALUES_MAX = 20_000;

/** Logs one line for each kind in this time; further failures are counted in the next line. */
export const LOG_EVERY_MS = 60_000;
