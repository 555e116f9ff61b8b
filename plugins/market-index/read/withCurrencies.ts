import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { MarketEvent } from "#plugins/market-index/render/MarketEvent.ts";
import { renderEvent, type StoredEvent } from "#plugins/market-index/render/renderEvent.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";

/** Stored events of one chain as clients see them, with what is known of their currencies. */
export async function withCurrencies(
	db: Queryable,
	chain: Chain,
	events: readonly StoredEvent[],
): Promise<MarketEvent[]> {
	const foreign = new Set<Address>();
	for (const { currency } of events) {
		if (currency !== null && currency !== ZERO_ADDRESS) foreign.add(currency);
	}
	const currencies = await readCurrencies(db, chain.id, [...foreign]);
	return events.map((event) => renderEvent(chain, event, currencies));
}
