/** Of a reply's deterministic line; `MAX_REPLY_LENGTH` may make it shorter, never longer. */
export const LINE_LENGTH_MAX = 200;

/** How long a tool may take. */
export const TOOL_TIMEOUT_MS = 10_000;

/** How long an answer may be silent: a model, then a tool, and some seconds of our own. */
export const ANSWER_IDLE_SECONDS = 60;

/** Of a request's text. The grammar refuses much shorter ones, and says so. */
export const TEXT_CHARS_MAX = 10_000;

/** Choices of a question, and near commands, that a reply suggests. */
export const SUGGESTIONS_MAX = 10;

/** Messages, and parts of one, that a chat request may bring. Only the last text is read. */
export const MESSAGES_MAX = 1_000;
export const PARTS_MAX = 1_000;

/** Of a message's id, which is the default of its `idempotency-key`. */
export const MESSAGE_ID_CHARS_MAX = 200;
