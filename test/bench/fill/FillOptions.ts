/** The size of an index, and its distribution in time. */
export type FillOptions = {
	/** All events; `recentEvents` of these in the last 24 hours, the rest evenly before. */
	events: number;
	recentEvents: number;
	collections: number;
	/** The first collections, for which provider and tokens have told everything. */
	marketed: number;
	days: number;
	nowMs: number;
	/** Collections are dealt to these in turn, four of five to the first. */
	chainIds: readonly [number, number];
};
