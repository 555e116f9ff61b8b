/**
 * Hints between processes: best effort, at most once, no order across senders.
 *
 * Whatever must not be lost is in PostgreSQL already; a hint only says "look now".
 */
export type Bus = {
	publish(channel: string, message: string): void;
	/** Answers how to stop listening. */
	subscribe(channel: string, listener: (message: string) => void): () => void;
	close(): Promise<void>;
};
