/** What a Redis server answers a command, as Bun's client hands it over; parse it before use. */
export type RedisReply = unknown;

/**
 * One Redis server, shared by the processes of one deployment, that may be away at any time.
 *
 * Whoever asks must have an answer of its own: what stands in Redis is never the only copy.
 */
export type Redis = {
	/** False while the server is away or hangs: `send` then rejects at once. */
	up(): boolean;
	/**
	 * One command. Rejects with a Fault at once while the server is away, within tens of
	 * milliseconds where it hangs, and where it refuses the command. It may still have run.
	 */
	send(command: string, args: readonly (string | number)[]): Promise<RedisReply>;
	/** A key of this deployment. Any text is a name; it is not readable in the key. */
	key(kind: string, name: string): string;
	/** Says a text to every process of this deployment, this one too. Lost while away. */
	announce(text: string): void;
	/** Answers how to stop listening. */
	onAnnounced(listener: (text: string) => void): () => void;
	close(): Promise<void>;
};
