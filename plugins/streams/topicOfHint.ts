/** How an announcement of ours begins. */
const TOPIC_FIRST = /^\{"topic":"([^"\\]*)"/;

/**
 * Returns the topic of an announcement without parsing its frames; undefined where only a full
 * parse would show it.
 */
export function topicOfHint(text: string): string | undefined {
	return TOPIC_FIRST.exec(text)?.[1];
}
