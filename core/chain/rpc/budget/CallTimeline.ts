/** Learned calls per second, with the number of the change; null if unknown. */
export type LearnedRate = { perSecond: number; version: number };

export type Reservation = {
	/** When the first of the reserved calls may be sent; below 0 if unused time remains. */
	inMs: number;
	/** The rate that the reservation was computed with. */
	perSecond: number;
	/** The rate that all processes learned, if they share it. */
	learned: LearnedRate | null;
};

/**
 * The time of an endpoint, in which each call takes a slice: a reserved slice may be used, and the
 * next one begins where it ends.
 */
export type CallTimeline = {
	/** `perSecond` applies unless another process has learned another rate. */
	reserve(calls: number, perSecond: number): Reservation | Promise<Reservation>;
	/** Stores a learned rate, and a pause for all. Never fails. */
	note(learned: LearnedRate, pauseMs: number): void;
};
