/** Above it a frame is refused; the largest known event, with its signed order, is below 20 KiB. */
export const FRAME_BYTES_MAX = 1_048_576;
/** Levels of a frame; the deepest known event has ten. */
export const FRAME_DEPTH_MAX = 32;
/** Frames in a row that nobody can read: then it is not the stream that is at the other end. */
export const UNREADABLE_IN_A_ROW_MAX = 100;

/** Frames that are read in one turn of the event loop: about 1 ms. */
export const FRAMES_PER_TURN_MAX = 10;
/** After a part of a flood it rests for so many times as long as reading it took. */
export const INBOX_REST_SHARE = 3;
export const INBOX_REST_MS_MAX = 8;
/** Frames that wait; with more it does not rest: what nobody reads is lost, and asked for again. */
export const INBOX_UNHURRIED_MAX = 10_000;
/** Of a socket's frames that wait to be read; more, and the socket is given up. */
export const INBOX_BYTES_MAX = 67_108_864;

/** Until a socket is open, or given up. */
export const OPEN_TIMEOUT_MS = 10_000;
/** A heartbeat must be answered before the next one is due. */
export const HEARTBEAT_MS = 30_000;
/** Requests of a socket whose answers it still knows as its own. */
export const UNANSWERED_MAX = 4_000;
/** Before each attempt to open the socket again; the last one stands for all that follow. */
export const RECONNECT_DELAYS_MS = [10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000] as const;
/**
 * More in a minute, and each attempt waits for the longest delay: a server that answers and then
 * hangs up would otherwise be called a hundred times a second.
 */
export const CONNECTS_PER_MINUTE_MAX = 30;
/** A socket that lived for this long was a good one: what ends it is told anew. */
export const STEADY_MS = 60_000;

export const TOPICS_MAX = 1_000;
export const SLUG_LENGTH_MAX = 256;
export const JOIN_TIMEOUT_MS = 10_000;
/** Joins go out in small groups: a thousand at once would look like an attack. */
export const JOINS_PER_BEAT = 10;
export const JOIN_BEAT_MS = 100;
/** Before each attempt to join a topic again that was refused or that broke. */
export const REJOIN_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

/** Events remembered, so that one that is sent twice is handed on once. */
export const RECENT_EVENTS_MAX = 10_000;
export const RECENT_EVENTS_MS = 600_000;
/** Orders whose maker and side are remembered, to tell who sold when one is filled. */
export const KNOWN_ORDERS_MAX = 20_000;
/** An event later than now by more than this has a clock that nobody should believe. */
export const CLOCK_AHEAD_MAX_MS = 300_000;

export const QUEUE_PUSHES_MAX = 10_000;
export const QUEUE_BYTES_MAX = 67_108_864;
/** Pushes of one collection that are handed on together. */
export const PUSHES_TOGETHER_MAX = 50;
/** Collections whose pushes are handled at the same time: the rest of the pool is for readers. */
export const SLUGS_AT_ONCE_MAX = 2;
/** While more wait, it rests after a part for so many times as long as the part took. */
export const QUEUE_REST_SHARE = 2;
export const QUEUE_REST_MS_MAX = 60;
/** With more waiting it does not rest: what does not fit is lost, and asked for again. */
export const QUEUE_UNHURRIED_MAX = QUEUE_PUSHES_MAX / 2;
/** For those that are handed on together; then the collection goes on without them. */
export const PUSH_TIMEOUT_MS = 60_000;
/** Pushes in a row that are failed at one by one: then it is not they that are wrong. */
export const FAILED_IN_A_ROW_MAX = 3;

/** Gaps that come close together are told together. */
export const GAP_GATHER_MS = 1_000;
/** One collection's gaps are told at most this often: each costs calls of the shared minute. */
export const GAP_EVERY_MS = 30_000;
export const GAP_TIMEOUT_MS = 600_000;

/** How often a process asks whether the stream is its own to hold. */
export const LEASE_EVERY_MS = 1_000;
/** What the process that listens said of the stream is believed so long: a few of its beats. */
export const STATUS_BELIEVED_MS = 5_000;
/** For pushes under way when the stream is stopped. */
export const STOP_TIMEOUT_MS = 5_000;
