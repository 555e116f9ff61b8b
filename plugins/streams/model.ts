// Declares the sockets, admissions and feeds that the files of streams share.

/** Publishes frames to the sockets, at a bounded rate. */
export type Publisher = {
	/** Sends one text to every socket of this process that is in the topic. */
	publish(topic: string, text: string): void;
	/** Returns how many bytes may still go out in this turn of the event loop. */
	roomBytes(): number;
	/** Waits until the sockets had time to write; then there is room again. */
	nextTurn(): Promise<void>;
};

/** The part of Bun's server that frames go through: one native call for all sockets of a topic. */
export type PublishingServer = { publish(topic: string, text: string): number };

export type StreamName = "collection" | "discover" | "intents";

/** Holds where a client stopped. Without an epoch a restored database goes unnoticed. */
export type ResumePoint = { afterSeq: number; epoch: string | undefined };

/** The part of Bun's server socket that streams use. */
export type StreamSocket = {
	send(text: string): number;
	/** Sends a ping of the protocol, which every WebSocket client answers without code of its own. */
	ping(): number;
	close(code: number, reason: string): void;
	subscribe(topic: string): void;
	/** Returns the bytes that were sent and not yet written, including published ones. */
	getBufferedAmount(): number;
};

/** Holds what a client was granted before its upgrade. */
export type Admission = {
	stream: StreamName;
	topics: readonly string[];
	resume: ResumePoint | undefined;
	/** The client as limits count it; undefined where only the socket knows it. */
	client: string | undefined;
	/** Keeps the collection watched, called with each ping. */
	watch?: () => void;
	/**
	 * Grants a stream by the client's first message, which it must send soon: until then it follows
	 * nothing. Throws a Fault where that message is no ticket.
	 */
	admit?: (message: unknown) => Promise<Grant>;
	/** Says whether the client may still read, asked with pings. Throws where that is not known. */
	isAllowed?: () => Promise<boolean>;
};

/** What a client was granted after its upgrade. */
export type Grant = Required<Pick<Admission, "topics" | "isAllowed">>;

/**
 * A claim on a topic: while one is held, the topic's frames are published to this process's
 * sockets.
 */
export type Feed = {
	readonly topic: string;
	/**
	 * Returns the newest number that went out to the topic's sockets. Moves in step with publishing.
	 */
	position(): number;
	/** Publishes all frames that PostgreSQL holds beyond the position. */
	catchUp(): Promise<void>;
	/** Releases the claim. After the last one the topic is not followed any more. */
	leave(): void;
};
