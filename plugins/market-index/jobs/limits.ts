/**
 * Names are owed while a lane is so many blocks behind its head: then 25 are read at a time,
 * followed by a rest of 19 times as long, at least a second (`OWED_REST_MIN_MS`) and at most five.
 */
export const LEVEL_BLOCKS = 64;
export const OWED_RESTS = 19;
export const OWED_REST_MAX_MS = 5_000;

/** Owed names that are queued at once where the lanes are level. */
export const OWED_PER_TURN_MAX = 1_000;
