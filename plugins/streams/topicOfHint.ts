/** How an announcement of ours begins. */
const TOPIC_FIRST = /^\{"topic":"([^"\\]*)"/;

/**
 * The topic of what the bus announced, without reading the frames behind it; undefined where only
 * reading all of it would tell.
 */
export function topicOfHint(text: string): string | undefined {
	return TOPIC_FIRST.exec(text)?.[1];
}
