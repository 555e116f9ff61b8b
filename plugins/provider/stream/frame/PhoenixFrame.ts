/** One message of a Phoenix channel, in either version of the serializer. */
export type PhoenixFrame = {
	/** The join of the topic that it belongs to; null where the server does not state it. */
	joinRef: string | null;
	/** The request that it answers; null for a message that the server sends by itself. */
	ref: string | null;
	topic: string;
	event: string;
	payload: Readonly<Record<string, unknown>>;
};
