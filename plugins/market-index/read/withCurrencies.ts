import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { foreignCurrencies } from "#plugins/market-index/event/foreignCurrencies.ts";
import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import { renderEvent } from "#plugins/market-index/render/renderEvent.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Renders stored events of one chain for clients, with what is known of their currencies. */
export async function withCurrencies(
	{ db, prices }: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	chain: Chain,
	events: readonly StoredEvent[],
): Promise<MarketEvent[]> {
	const currencies = await readCurrencies(db, chain.id, foreignCurrencies(events));
	return events.map((event) => renderEvent(chain, event, { currencies, prices }));
}
