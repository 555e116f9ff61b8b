import type { Queryable } from "#core/db/Database.ts";
import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";
import { renderTraits } from "#plugins/market-index/render/renderTraits.ts";
import { readTokenFacts } from "#plugins/market-index/tokens/sql/readTokenFacts.ts";

export type TokenEvents = {
	events: MarketEvent[];
	/** Known ranks, by token id. */
	ranks: ReadonlyMap<string, number>;
};

/**
 * Adds the tokens' own metadata to events of one collection. An image and traits that came with the
 * event stay: they are what was sold then.
 */
export async function withTokens(
	db: Queryable,
	collectionId: number,
	events: readonly MarketEvent[],
): Promise<TokenEvents> {
	const facts = await readTokenFacts(
		db,
		collectionId,
		events.map(({ tokenId }) => tokenId),
	);
	const ranks = new Map<string, number>();
	for (const [tokenId, { rank }] of facts) if (rank !== null) ranks.set(tokenId, rank);
	const filled = events.map((event) => {
		const token = facts.get(event.tokenId);
		if (!token) return event;
		const imageUrl = event.imageUrl ?? token.imageUrl;
		return { ...event, imageUrl, traits: event.traits ?? renderTraits(token.traits) };
	});
	return { events: filled, ranks };
}
