/**
 * The interval of asking PostgreSQL for frames whose hint was lost: the longest delay of a frame.
 */
export const TAIL_INTERVAL_MS = 1_000;

/** The interval of each topic's pings. Clients may give up after two missed ones. */
export const PING_INTERVAL_MS = 15_000;

/** Pings of the protocol that a client may leave unanswered; when the next is due it is closed. */
export const PINGS_UNANSWERED_MAX = 2;

/** A stream that missed more frames than this starts again: reading the state is cheaper. */
export const FRAMES_MISSED_MAX = 5_000;

/** Bytes to a topic in one turn of the event loop; sockets must be able to write in between. */
export const PUBLISH_BYTES_PER_TURN_MAX = 128 * 1024;

/** The pause between turns while a backlog goes out: 128 KiB each 20 ms are 6 MiB a second. */
export const PUBLISH_TURN_MS = 20;

/**
 * How long announced frames of a topic wait for more of them: the longest delay that this causes.
 */
export const COLLECT_MS = 10;

/** Topics with fewer clients never wait: writing to all of them takes less than a millisecond. */
export const COLLECT_FOLLOWERS_MIN = 50;

/** The number of announced transactions above which they are sent without waiting. */
export const BATCHES_COLLECTED_MAX = 100;

/**
 * The unsent bytes above which a reader is closed at once: Bun cuts it without a reason at 1 MiB.
 */
export const UNSENT_BYTES_MAX = 768 * 1024;

/** The unsent bytes that a reader may not have at two checks in a row: it cannot keep up. */
export const UNSENT_BYTES_HIGH = 256 * 1024;

/** Missed frames are sent to one client up to here, and on once it has read them. */
export const REPLAY_UNSENT_BYTES_MAX = 128 * 1024;

/** A client that does not read its replay within this time is slow. */
export const REPLAY_DRAIN_TIMEOUT_MS = 10_000;

/** Concurrent reads of missed frames, for all clients: a reconnect storm must not starve others. */
export const REPLAY_READS_MAX = 8;

/** Messages that a client may send in the window: occasional pings. */
export const INBOUND_MESSAGES_MAX = 20;
export const INBOUND_WINDOW_MS = 10_000;

/** The age at which a known epoch is read again. */
export const EPOCH_AGE_MAX_MS = 1_000;

/** How long a stream waits for its client's ticket. */
export const TICKET_WAIT_MS = 10_000;

/** How long a ticket may be used, once. */
export const TICKET_LIFETIME_MS = 60_000;

/** How long a stream lasts that a ticket opened: nobody can ask whether its session still does. */
export const TICKET_STREAM_MS = 900_000;

/** The interval of asking whether the session of a stream has ended. */
export const SESSION_ASKED_EVERY_MS = 60_000;

/** The time without reading the log after which a process is not fit to serve streams. */
export const TAIL_SILENCE_MAX_MS = 15_000;

export const CONNECTIONS_PER_CLIENT_DEFAULT = 50;
