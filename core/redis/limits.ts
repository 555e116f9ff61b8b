/** How long a caller waits for a command: nobody's request may hang for what is only a hint. */
export const COMMAND_DEADLINE_MS = 50;

/** How long a connection may take, its greeting included. */
export const CONNECT_TIMEOUT_MS = 1_000;

/** Between attempts: doubled from the first to the last while the server stays away. */
export const RECONNECT_FIRST_MS = 50;
export const RECONNECT_LAST_MS = 1_000;

/** A beat goes out on one connection and must come back on the other. */
export const BEAT_EVERY_MS = 1_000;

/** So many beats without an echo end the connections: they are half open, or the server hangs. */
export const BEATS_UNANSWERED_MAX = 3;

/** What one announcement may hold. Larger ones are not sent: whoever needs them reads the table. */
export const ANNOUNCEMENT_CHARACTERS_MAX = 1_000_000;
