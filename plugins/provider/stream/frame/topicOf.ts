import { SLUG_LENGTH_MAX } from "#plugins/provider/stream/limits.ts";

/**
 * Returns the topic of a collection's events; null for a text that cannot be a slug. `*` is refused
 * too: it means every collection.
 */
export function topicOf(slug: string): string | null {
	const isSlug = slug.length <= SLUG_LENGTH_MAX && /^[^\s*:\p{C}]+$/u.test(slug);
	return isSlug ? `collection:${slug}` : null;
}
