import { SLUG_LENGTH_MAX } from "#plugins/provider/stream/limits.ts";

/**
 * The topic on which a collection's events arrive; null for what cannot be a slug. `*` is none
 * either: it is the provider's word for every collection there is.
 */
export function topicOf(slug: string): string | null {
	const isSlug = slug.length <= SLUG_LENGTH_MAX && /^[^\s*:\p{C}]+$/u.test(slug);
	return isSlug ? `collection:${slug}` : null;
}
