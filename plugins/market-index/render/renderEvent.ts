import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { displayUsd } from "#plugins/market-index/display/displayUsd.ts";
import type { Currencies } from "#plugins/market-index/event/Currencies.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";
import type { MarketEvent, SettlementCurrency } from "#plugins/market-index/event/MarketEvent.ts";
import { PROVIDER_LOG_INDEX } from "#plugins/market-index/event/providerPlace.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import { shownPayload } from "#plugins/market-index/payload/shownPayload.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** What an event itself does not contain. */
export type EventContext = { currencies: Currencies; prices: Pick<Prices, "ethUsd"> };

const WEI_DECIMALS = 18;

/** Renders a stored event for clients; the one place that does. */
export function renderEvent(
	chain: Chain,
	event: StoredEvent,
	{ currencies, prices }: EventContext,
): MarketEvent {
	const { quantity, totalRaw, totalNative, payload } = event;
	const unitNative = totalNative === null ? null : totalNative / quantity;
	return {
		id: `${event.blockHash}:${event.logIndex}:${event.subIndex}`,
		chain: chain.slug,
		contractAddress: event.contract,
		eventType: event.kind,
		accepted: event.accepted,
		reason: event.reason,
		onchainVerified: event.onchainVerified,
		transactionHash: isStandIn(event.transactionHash) ? null : event.transactionHash,
		...placeOf(event),
		tokenId: event.tokenId.toString(),
		quantity: quantity.toString(),
		from: event.from,
		to: event.to,
		venue: event.venue,
		priceNative: unitNative === null ? null : toDisplayNumber(unitNative, WEI_DECIMALS),
		priceUsd: displayUsd(unitNative, prices.ethUsd(event.occurredAtMs)),
		amountRaw: totalRaw === null ? null : (totalRaw / quantity).toString(),
		totalRaw: totalRaw === null ? null : totalRaw.toString(),
		settlementCurrency: settlementOf(chain, event.currency, currencies),
		occurredAt: new Date(event.occurredAtMs).toISOString(),
		...shownPayload(payload),
	};
}

/**
 * Returns the event's place. If only the provider told it, its place is an estimate for the order
 * of lists, and not shown.
 */
function placeOf({ blockNumber, logIndex }: StoredEvent) {
	if (logIndex >= PROVIDER_LOG_INDEX) return { blockNumber: null, logIndex: null };
	return { blockNumber, logIndex };
}

function settlementOf(
	chain: Chain,
	currency: Address | null,
	currencies: Currencies,
): SettlementCurrency | null {
	if (currency === null) return null;
	if (currency === ZERO_ADDRESS) return { ...chain.nativeCurrency, address: ZERO_ADDRESS };
	if (currency === chain.wrappedNative) {
		const { symbol, decimals } = chain.nativeCurrency;
		return { symbol: `W${symbol}`, address: currency, decimals };
	}
	const { symbol = null, decimals = null } = currencies.get(currency) ?? {};
	return { symbol, decimals, address: currency };
}
