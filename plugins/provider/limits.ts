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

/** A larger frame is refused; the largest known event, with its signed order, is below 20 KiB. */
export const FRAME_BYTES_MAX = 1_048_576;
/** Levels of a frame; the deepest known event has ten. */
export const FRAME_DEPTH_MAX = 32;
/** Unreadable frames in a row, after which the other end is taken for another service. */
export const UNREADABLE_IN_A_ROW_MAX = 100;

/** Frames that are read in one turn of the event loop: about 1 ms. */
export const FRAMES_PER_TURN_MAX = 10;
/** The factor of the time of reading a part of a flood that it rests after it. */
export const INBOX_REST_SHARE = 3;
export const INBOX_REST_MS_MAX = 8;
/**
 * The number of waiting frames above which it does not rest: frames that do not fit are lost, and
 * read over HTTP.
 */
export const INBOX_UNHURRIED_MAX = 10_000;
/** The bytes of a socket's frames that may wait; with more, the socket is closed. */
export const INBOX_BYTES_MAX = 67_108_864;

/** The time until a socket must be open. */
export const OPEN_TIMEOUT_MS = 10_000;
/** Sets how often a heartbeat is sent, in ms; it must be answered before the next one. */
export const HEARTBEAT_MS = 30_000;
/** Requests of a socket that are remembered, to recognize their answers. */
export const UNANSWERED_MAX = 4_000;
/**
 * The wait before each attempt to open the socket again; the last one holds for all that follow.
 */
export const RECONNECT_DELAYS_MS = [10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000] as const;
/**
 * The number of connects in a minute above which each attempt waits for the longest delay: a server
 * that answers and then hangs up would otherwise be called a hundred times a second.
 */
export const CONNECTS_PER_MINUTE_MAX = 30;
/** Says how long a socket must live, in ms, until its end is logged again. */
export const STEADY_MS = 60_000;

export const TOPICS_MAX = 1_000;
export const SLUG_LENGTH_MAX = 256;
export const JOIN_TIMEOUT_MS = 10_000;
/** Limits the joins of one beat: a thousand at once would look like an attack. */
export const JOINS_PER_BEAT = 10;
export const JOIN_BEAT_MS = 100;
/** The wait before each attempt to join a topic again that was refused or that broke. */
export const REJOIN_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

/** Events remembered, so that one that is sent twice is handed on once. */
export const RECENT_EVENTS_MAX = 10_000;
export const RECENT_EVENTS_MS = 600_000;
/** Orders whose maker and side are remembered, to know the seller when one is filled. */
export const KNOWN_ORDERS_MAX = 20_000;
/** An event further in the future than this has a wrong clock. */
export const CLOCK_AHEAD_MAX_MS = 300_000;

export const QUEUE_PUSHES_MAX = 10_000;
export const QUEUE_BYTES_MAX = 67_108_864;
/** Pushes of one collection that are handed on together. */
export const PUSHES_TOGETHER_MAX = 50;
/** Collections whose pushes are handled at the same time: the rest of the pool is for readers. */
export const SLUGS_AT_ONCE_MAX = 2;
/** The factor of a part's time that it rests after it, while more wait. */
export const QUEUE_REST_SHARE = 2;
export const QUEUE_REST_MS_MAX = 60;
/**
 * The number of waiting pushes above which it does not rest: those that do not fit are lost, and
 * read over HTTP.
 */
export const QUEUE_UNHURRIED_MAX = QUEUE_PUSHES_MAX / 2;
/** The time for a part that is handed on together; then the collection goes on without it. */
export const PUSH_TIMEOUT_MS = 60_000;
/** Single pushes that fail in a row, after which the pushes are not to blame. */
export const FAILED_IN_A_ROW_MAX = 3;

/** Gaps within this time are reported together. */
export const GAP_GATHER_MS = 1_000;
/** Reports one collection's gaps at most this often: each costs calls of the shared limit. */
export const GAP_EVERY_MS = 30_000;
export const GAP_TIMEOUT_MS = 600_000;

/** The interval at which a process tries to take the stream's lease. */
export const LEASE_EVERY_MS = 1_000;
/** The lifetime of the listening process's stored state: a few of its beats. */
export const STATUS_BELIEVED_MS = 5_000;
/** The time for pushes under way when the stream is stopped. */
export const STOP_TIMEOUT_MS = 5_000;
