/**
 * The longest line of a reply, in characters; `MAX_REPLY_LENGTH` may shorten it, never lengthen it.
 */
export const LINE_LENGTH_MAX = 200;

/** The longest time that a tool may take. */
export const TOOL_TIMEOUT_MS = 10_000;

/**
 * How long an answer may send nothing: a model's time, then a tool's, and some seconds of our own.
 */
export const ANSWER_IDLE_SECONDS = 60;

/** The longest text of a request. The grammar refuses much shorter ones, with a clear reason. */
export const TEXT_CHARS_MAX = 10_000;

/** The most suggestions in a reply: choices of a question, or similar commands. */
export const SUGGESTIONS_MAX = 10;

/** The most messages, and parts of one, in a chat request. Only the last text is read. */
export const MESSAGES_MAX = 1_000;
export const PARTS_MAX = 1_000;

/** The longest id of a message, which is the default of its `idempotency-key`. */
export const MESSAGE_ID_CHARS_MAX = 200;

/** How long names are looked up, and how long a book that did not answer is left alone. */
export const NAMES_TIMEOUT_MS = 500;
export const NAMES_AWAY_MS = 5_000;
