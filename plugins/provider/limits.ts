/** What the adapter calls itself in `members.provider`. */
export const PROVIDER_ID = "opensea";

/** Where a key alone leads. */
export const PROVIDER_BASE_URL_DEFAULT = "https://api.opensea.io";
export const STREAM_URL_DEFAULT = "wss://stream-api.opensea.io/socket/websocket";

/** A page of 200 orders with their signatures is about 1 MB. */
export const BODY_BYTES_MAX = 8 * 1_024 * 1_024;
/** What is read of a refusal, for the log. */
export const REFUSAL_BYTES_MAX = 16 * 1_024;
export const REFUSAL_LENGTH_MAX = 300;
/** From the call's first byte to the answer's last. */
export const CALL_TIMEOUT_MS = 10_000;

/** Calls of one process begin this far apart. */
export const CALL_DISTANCE_MS = 250;
/** What the provider allows a key, all processes together. */
export const CALLS_PER_MINUTE_MAX = 120;
/** Work in the background leaves so many of the minute to what clients wait for. */
export const CALLS_FOR_CLIENTS = 20;
/** Pages and searches leave so many to whoever buys. */
export const CALLS_FOR_BUYERS = 10;
/** The most of what is left that either may take; the rest of it is the other's for certain. */
export const CALLS_OF_BACKGROUND_MAX = 60;
export const CALLS_OF_ENDLESS_MAX = 50;
/** All that clients wait for, together: at least 30 of the minute are the background's. */
export const CALLS_OF_CLIENTS_MAX = 70;
/** Of these, what pages and searches may take. */
export const CALLS_OF_VIEWS_MAX = 40;
export const CALLS_OF_SEARCHES_MAX = 15;
/** A wait for the provider up to here is waited out; a longer one is told. */
export const BLOCK_WAITED_OUT_MS = 3_000;
/** Longer than this nobody stands aside on a header's word. */
export const BLOCK_MAX_MS = 5 * 60_000;
/** A 429 that names no time: doubled for each that follows, up to a minute. */
export const BLOCK_DEFAULT_MS = 1_000;
export const BLOCK_DEFAULT_MAX_MS = 60_000;
/** Calls that may wait for their turn: ten seconds' worth. */
export const QUEUE_CALLS_MAX = 40;
/** Of these, calls for pages and searches: a crowd of them leaves room to all others. */
export const PAGE_CALLS_WAITING_MAX = 24;
/** Calls under way, each with a body of at most 8 MiB; the background's leave room for requests. */
export const CALLS_UNDER_WAY_MAX = 8;
export const BACKGROUND_UNDER_WAY_MAX = 6;

/** The longest page that the provider has. */
export const ROWS_PER_PAGE_MAX = 200;
export const COLLECTIONS_PER_PAGE_MAX = 100;
export const TOP_PER_PAGE_MAX = 50;
export const SEARCH_HITS_MAX = 50;
export const SEARCH_LENGTH_MAX = 200;
export const CURSOR_LENGTH_MAX = 4_096;

export const NAME_LENGTH_MAX = 256;
export const PROSE_LENGTH_MAX = 8_192;
export const SYMBOL_LENGTH_MAX = 32;

/** What is kept of a row as it was sent. */
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

/** One line of a kind in this time; what else went wrong meanwhile is counted in the next. */
export const LOG_EVERY_MS = 60_000;
