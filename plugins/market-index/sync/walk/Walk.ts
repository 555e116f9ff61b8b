/** A walk through the provider's list of a collection's events, newest first. */
export type Walk = {
	/** The walk reads the events between these two times. */
	fromMs: number;
	untilMs: number;
	/** The newest event that it met; null where there was none. */
	topMs: number | null;
	/** All that could be read of the list from here to `untilMs` is held. */
	reachedMs: number;
	/** The newest row that could not be read: only what is above it is held. Null where none was. */
	holeMs: number | null;
	/**
	 * The cursor of the next page; null where the walk goes on by time, from `reachedMs`
	 * downwards.
	 */
	cursor: string | null;
	pages: number;
	/** Pages in a row that brought it no further. */
	idle: number;
};
