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
