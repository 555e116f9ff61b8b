/** One message of a Phoenix channel, whichever version of the serializer wrote it. */
export type PhoenixFrame = {
	/** Which join of the topic it belongs to; null where the server does not say. */
	joinRef: string | null;
	/** The request it answers; null for what the server sends by itself. */
	ref: string | null;
	topic: string;
	event: string;
	payload: Readonly<Record<string, unknown>>;
};
