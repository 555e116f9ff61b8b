import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Priced } from "#plugins/prices/contract.ts";
import { type Feed, feedKey } from "#plugins/prices/feed/Feed.ts";
import type { FeedSpans, Learned, Span } from "#plugins/prices/history/Learned.ts";

/**
 * Returns what became known of each priced currency by the feeds' spans: for a coin's wrapped form
 * the same as for the coin, and for everything when it is about ETH, the unit of all prices.
 */
export function learnedOf(
	feeds: readonly Feed[],
	spans: FeedSpans,
	chains: ChainRegistry,
): Learned[] {
	const ofEth = feeds.flatMap((feed) => (feed.isEth ? (spans.get(feedKey(feed)) ?? []) : []));
	return feeds.flatMap((feed) => {
		const own = spans.get(feedKey(feed));
		const all: Span[] = [...(own ? [own] : []), ...(feed.isEth ? [] : ofEth)];
		if (all.length === 0) return [];
		const fromMs = Math.min(...all.map((span) => span.fromMs));
		const toMs = Math.max(...all.map((span) => span.toMs));
		return namesOf(feed.priced, chains).map((priced) => ({ priced, fromMs, toMs }));
	});
}

function namesOf(priced: Priced, chains: ChainRegistry): Priced[] {
	const wrapped = chains.byId(priced.chainId)?.wrappedNative ?? null;
	const isCoin = /^0x0+$/.test(priced.currency);
	return isCoin && wrapped ? [priced, { ...priced, currency: wrapped }] : [priced];
}
