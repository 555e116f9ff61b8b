/** Waits as an argument, so that a test can let an hour pass at once. */
export type Timers = {
	/** Runs it once, later; answers how to call it off. */
	after(ms: number, run: () => void): () => void;
};
