/** Publishes frames to the sockets, at a bounded rate. */
export type Publisher = {
	/** Sends one text to every socket of this process that is in the topic. */
	publish(topic: string, text: string): void;
	/** Returns how many bytes may still go out in this turn of the event loop. */
	roomBytes(): number;
	/** Waits until the sockets had time to write; then there is room again. */
	nextTurn(): Promise<void>;
};
