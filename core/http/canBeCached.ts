/**
 * The member of an operation's `detail` which says that its answers are the same for all callers.
 */
export const CACHED_MEMBER = "x-cached";

/**
 * Declares that an operation's answers depend on URL and time alone, hold no secret, and may be
 * kept: the gate gives them an ETag, answers 304, and compresses them. For reads; ignored at other
 * methods.
 *
 * @example new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() })
 */
export function canBeCached(): { [CACHED_MEMBER]: true; tags?: string[] } {
	return { [CACHED_MEMBER]: true };
}
