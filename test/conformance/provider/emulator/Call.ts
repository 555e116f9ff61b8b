/** One call that the provider got, and what became of it. */
export type Call = {
	atMs: number;
	method: string;
	/** Path and query, as sent. */
	target: string;
	/** The document's name of the operation; null where it has none. */
	operation: string | null;
	path: Record<string, string>;
	query: URLSearchParams;
	key: string | null;
	status: number;
	/** The events that its answer had, each by slug and number. */
	shown: string[];
	/** What was sent, as a client parses it; null where it was refused, or cannot be read. */
	answer: unknown;
	/** What the document does not allow about it. */
	problems: string[];
};
