/** Random bytes of a link's token. */
export const LINK_TOKEN_BYTES = 32;
/** Links that one question can have: each is another way in. */
export const LINKS_PER_INTENT_MAX = 20;
/**
 * A wallet signs in its own time: what was sent while the link was good may be told so much later.
 * Nothing new is shown by then.
 */
export const SIGNED_GRACE_MS = 900_000;
/** What taking an intent further may take of the time that somebody waits for the answer. */
export const CONFIRM_TIMEOUT_MS = 25_000;
/** The connection stays open for longer than that. */
export const CONFIRM_IDLE_SECONDS = 60;
/** So long past its time a link is kept, how often old ones are deleted, and how many at a time. */
export const LINKS_KEPT_MS = 86_400_000;
export const LINK_PRUNE_EVERY_MS = 60_000;
export const LINK_PRUNE_TIMEOUT_MS = 20_000;
export const LINK_PRUNE_ROWS_MAX = 10_000;
