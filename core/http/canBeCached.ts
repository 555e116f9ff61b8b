/** The mark in an operation's `detail` that its answers are the same for everybody. */
export const CACHED_MEMBER = "x-cached";

/**
 * Says that an operation's answers depend on their URL and the time alone, hold no secret, and may
 * be kept: the gate gives them an ETag, answers 304, and compresses them. For reads; at other
 * methods it means nothing.
 *
 * @example new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() })
 */
export function canBeCached(): { [CACHED_MEMBER]: true; tags?: string[] } {
	return { [CACHED_MEMBER]: true };
}
