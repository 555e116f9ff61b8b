/** Timers as an argument, so that a test can let an hour pass at once. */
export type Timers = {
	/** Runs a function once, later; returns a function that cancels it. */
	after(ms: number, run: () => void): () => void;
};
