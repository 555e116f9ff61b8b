/** A request as Bun's router passes it: with the raw segments of its path. */
export type SegmentedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

/** No route of ours is nearly as deep. */
const SEGMENTS_MAX = 16;

/**
 * Makes routes of `Bun.serve` that pass every request on with the segments of its raw path.
 *
 * Only Bun's router shows a path before it is normalised. Paths that no pattern matches (the root,
 * an empty segment) go to `fetch`, and no route of ours matches them with a backslash.
 */
export function segmentRoutes<Answer>(
	handle: (request: Request) => Answer,
): Record<string, (request: Request) => Answer> {
	const patterns = Array.from({ length: SEGMENTS_MAX }, (_, last) =>
		Array.from({ length: last + 1 }, (_, place) => `/:s${place}`).join(""),
	);
	const both = patterns.flatMap((pattern) => [pattern, `${pattern}/`]);
	return Object.fromEntries(both.map((pattern) => [pattern, handle]));
}

/**
 * Returns whether the path was sent with a backslash.
 *
 * The URL standard turns backslashes into slashes, but proxies do not: a proxy that decides by the
 * path would let forbidden requests through. An encoded backslash stays one.
 */
export function hasBackslash({ params }: SegmentedRequest, path: string): boolean {
	if (params === undefined) return false;
	const segments = Object.values(params);
	if (!segments.some((segment) => segment.includes("\\"))) return false;
	try {
		return !`${decodeURIComponent(path)}/`.startsWith(`/${segments.join("/")}/`);
	} catch {
		return true;
	}
}
