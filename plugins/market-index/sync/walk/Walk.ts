/** A walk through the provider's list of a collection's events, newest first. */
export type Walk = {
	/** The walk reads the events between these two times. */
	fromMs: number;
	untilMs: number;
	/** The newest event so far; null where there was none. */
	topMs: number | null;
	/** All readable events from here to `untilMs` are stored. */
	reachedMs: number;
	/** The newest unreadable row: only what is above it counts as stored. Null without one. */
	holeMs: number | null;
	/**
	 * The cursor of the next page; null where the walk continues by time, from `reachedMs` downwards.
	 */
	cursor: string | null;
	pages: number;
	/** Pages in a row that brought it no further. */
	idle: number;
};
