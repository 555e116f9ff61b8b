import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { isStandIn } from "#plugins/market-index/merge/isStandIn.ts";
import { PROVIDER_LOG_INDEX } from "#plugins/market-index/merge/providerPlace.ts";
import { shownPayload } from "#plugins/market-index/merge/shownPayload.ts";
import { displayUsd } from "#plugins/market-index/render/displayUsd.ts";
import type { MarketEvent, SettlementCurrency } from "#plugins/market-index/render/MarketEvent.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** An event as it is stored, wherever it was read from. */
export type StoredEvent = {
	kind: MarketEvent["eventType"];
	contract: Address;
	accepted: boolean;
	reason: string | null;
	onchainVerified: boolean;
	blockNumber: number;
	blockHash: Hex;
	transactionHash: Hex;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
	tokenId: bigint;
	quantity: bigint;
	from: Address;
	to: Address;
	venue: string | null;
	currency: Address | null;
	totalRaw: bigint | null;
	totalNative: bigint | null;
	payload: Readonly<Record<string, unknown>> | null;
};

/** What is known of ERC-20s by address; see the table `currency`. */
export type Currencies = ReadonlyMap<Address, { symbol: string | null; decimals: number | null }>;

/** What an event cannot tell by itself. */
export type EventContext = { currencies: Currencies; prices: Pick<Prices, "ethUsd"> };

const WEI_DECIMALS = 18;

/** The one place that turns a stored event into the shape clients see. */
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
		providerPayload: payload,
	};
}

/** Where only the provider told it, its place is an estimate that orders lists, and no fact. */
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
