import type { FeedSpans, Span } from "#plugins/prices/history/Learned.ts";

/** Widens a feed's span so that it includes this one too. */
export function addSpan(spans: FeedSpans, feed: string, span: Span): void {
	const known = spans.get(feed) ?? span;
	spans.set(feed, {
		fromMs: Math.min(known.fromMs, span.fromMs),
		toMs: Math.max(known.toMs, span.toMs),
	});
}
