// Renders events, sales and traits for clients.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money.ts";
import { displayUsd, explorerLink, nativeCurrency } from "#plugins/market-index/display.ts";
import {
	type Currencies,
	isStandIn,
	type MarketEvent,
	PROVIDER_LOG_INDEX,
	type SettlementCurrency,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import type { FigureContext } from "#plugins/market-index/figures/coverage.ts";
import {
	floorFigure,
	rawOf,
	salesFigure,
	volumeFigure,
} from "#plugins/market-index/figures/figures.ts";
import { shownPayload } from "#plugins/market-index/payload.ts";
import type { SalePoint } from "#plugins/market-index/schemas/lists.ts";
import type { TradeColumns } from "#plugins/market-index/sql/listColumns.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/model.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Holds what rendering needs besides the event. */
export type EventContext = { currencies: Currencies; prices: Pick<Prices, "ethUsd"> };

/** A trait in the form of ERC-721 metadata, which providers use as well. */
type ShownTrait = { trait_type: string; value: string; display_type?: string };

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
 * Renders a sale as a dot of the chart. `rank` is the token's present one, as former ranks are not
 * stored; null without one.
 */
export function renderSalePoint(
	sale: MarketEvent,
	{ chain, slug, rank }: { chain: Chain; slug: string; rank: number | null },
): SalePoint {
	return {
		chain: sale.chain,
		contractAddress: sale.contractAddress,
		slug,
		tokenId: sale.tokenId,
		imageUrl: sale.imageUrl,
		rank,
		priceNative: sale.priceNative,
		priceUsd: sale.priceUsd,
		traits: sale.traits,
		occurredAt: sale.occurredAt,
		transactionHash: sale.transactionHash,
		venue: sale.venue,
		buyer: sale.to,
		seller: sale.from,
		explorerUrl: explorerLink(chain, { transaction: sale.transactionHash }),
	};
}

/**
 * Returns what the rows of every list have in common, and the window's volume and sales as
 * figures: each kind of row has its own names for these two.
 */
export function renderTrade(
	chain: Chain,
	row: Omit<TradeColumns, "isAnnounced" | "isTraded">,
	context: FigureContext,
) {
	const volume = volumeFigure(row, context);
	return {
		volume,
		sales: salesFigure(row, context),
		fields: {
			slug: row.slug,
			chain: chain.slug,
			name: row.name,
			imageUrl: row.imageUrl,
			floorNative: floorFigure(row).value,
			volumeRaw: rawOf(volume, row.windowVolume),
			volumeCurrency: nativeCurrency,
		},
	};
}

export function renderTraits(traits: readonly TokenTrait[] | null): ShownTrait[] | null {
	if (traits === null) return null;
	return traits.map(({ type, value, displayType }) => ({
		trait_type: type,
		value,
		...(displayType !== undefined && { display_type: displayType }),
	}));
}

/**
 * Returns the event's place. If only the provider reported it, its place is an estimate for the
 * order of lists, and not shown.
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
