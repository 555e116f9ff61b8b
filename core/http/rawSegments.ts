/** A request as a route of Bun's gets it: with the segments of its path, as they were sent. */
export type SegmentedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

/** No route of ours is nearly as deep. */
const SEGMENTS_MAX = 16;

/**
 * Makes routes of `Bun.serve` that hand every request on with the segments of its raw path.
 *
 * Bun's router is the only place that shows a path before it is normalised. What no pattern takes
 * (the root, an empty segment) goes to `fetch` and matches no route of ours with a backslash.
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
 * Says whether a path was sent with a backslash in it.
 *
 * The URL standard makes slashes of them, and proxies do not: one that decides by the path would
 * let through what it should not. A backslash that is encoded stays what it is.
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
