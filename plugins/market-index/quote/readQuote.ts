import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import { estimateQuote, type QuoteLine } from "#plugins/market-index/quote/estimateQuote.ts";
import {
	type FoundListing,
	readQuotedListings,
} from "#plugins/market-index/quote/readQuotedListings.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { usdAt } from "#plugins/market-index/read/usdAt.ts";
import type { QuoteAnswer } from "#plugins/market-index/schemas/quoteSchema.ts";

/** Returns an estimate from the stored book. Only the chain's gas price is read from outside. */
export async function readQuote(
	{ core, index, prices, gasPrice: readGasPrice }: RouteContext,
	found: FoundCollection,
	wanted: { tokenId: string | null; orderHash: Hex | null; units: bigint },
): Promise<QuoteAnswer> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const [listings, gasPrice, bookReadAt] = await Promise.all([
		readQuotedListings(core.db, { ...wanted, collectionId: found.id, nowMs }),
		readGasPrice(chain),
		readBookAt(core.db, found.id),
	]);
	const quote = estimateQuote(listings, wanted.units);
	const coin = { chainId: chain.id, currency: ZERO_ADDRESS };
	const gasNative =
		gasPrice === null ? null : prices.toNative(coin, gasPrice * quote.gasUnits, nowMs);
	const none = quote.units === 0n;
	const subtotal = none ? null : quote.subtotalNative;
	const total = subtotal === null || gasNative === null ? null : subtotal + gasNative;
	const usdOf = usdAt(prices, nowMs);
	const told = (wei: bigint | null) => {
		const text = wei === null ? null : wei.toString();
		return { native: displayNative(text), nativeRaw: text, usd: usdOf(text) };
	};
	return {
		chain: found.chain,
		contractAddress: found.address,
		quantity: Number(wanted.units),
		availableUnits: none && bookReadAt === null ? null : Number(quote.units),
		bookReadAt,
		price: told(subtotal === null ? null : subtotal / quote.units),
		subtotal: told(subtotal),
		fees: { ...told(none ? null : quote.feeNative), includedInPrice: true },
		gas: {
			...told(none ? null : gasNative),
			units: quote.gasUnits.toString(),
			priceWei: gasPrice?.toString() ?? null,
		},
		total: told(total),
		listings: quote.lines.map(renderLine),
		observedAt: new Date(nowMs).toISOString(),
	};
}

function renderLine({ listing, units }: QuoteLine<FoundListing>): QuoteAnswer["listings"][number] {
	const { orderHash, tokenId, unitNative, totalRaw, quantity, symbol, decimals } = listing;
	return {
		orderHash,
		tokenId,
		units: units.toString(),
		priceNative: displayNative(unitNative?.toString() ?? null),
		totalRaw: ((totalRaw * units + quantity - 1n) / quantity).toString(),
		settlementCurrency: {
			symbol: symbol === "" ? null : symbol,
			address: listing.currency === null ? null : `0x${listing.currency.slice(2)}`,
			decimals,
		},
		expiresAt: displayTime(listing.expiresAt),
	};
}
