/** How large an index is, and how it lies in time. */
export type FillOptions = {
	/** All of them; `recentEvents` of these in the last 24 hours, the rest evenly before. */
	events: number;
	recentEvents: number;
	collections: number;
	/** The first ones, which provider and tokens have told everything about. */
	marketed: number;
	days: number;
	nowMs: number;
	/** Collections are dealt to these in turn, four of five to the first. */
	chainIds: readonly [number, number];
};
