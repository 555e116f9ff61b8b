/** More live mints than this in one lane run of a topic go out as one `snapshot_required`. */
export const MINT_FRAMES_MAX = 40;

/** Retractions that a topic's subscribers get one by one; with more they must read again. */
export const RETRACTIONS_PER_TOPIC_MAX = 1_000;
