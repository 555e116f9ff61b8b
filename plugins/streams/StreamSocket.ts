/** The part of Bun's server socket that streams use. */
export type StreamSocket = {
	send(text: string): number;
	/** A ping of the protocol: whoever speaks WebSocket answers it, without a line of its own. */
	ping(): number;
	close(code: number, reason: string): void;
	subscribe(topic: string): void;
	/** Bytes that were sent and not yet written, also those that were published to it. */
	getBufferedAmount(): number;
};
