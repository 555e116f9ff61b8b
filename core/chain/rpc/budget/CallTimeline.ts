/** Calls a second, and which change of it this is; null where nobody knows one. */
export type LearnedRate = { perSecond: number; version: number };

export type Reservation = {
	/** When the first of the reserved calls may be sent; below 0 where time went by unused. */
	inMs: number;
	/** What the reservation was reckoned with. */
	perSecond: number;
	/** What all processes learned, where they share it. */
	learned: LearnedRate | null;
};

/**
 * The time of an endpoint, of which each call takes a piece: whoever reserves a piece may send in
 * it, and the next one begins where it ends.
 */
export type CallTimeline = {
	/** `perSecond` counts where no other process has learned something else. */
	reserve(calls: number, perSecond: number): Reservation | Promise<Reservation>;
	/** A rate that was learned, and how long nobody is to ask. Never fails. */
	note(learned: LearnedRate, pauseMs: number): void;
};
