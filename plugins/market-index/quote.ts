// Estimates what the cheapest tokens of a collection cost, with fees and gas.

import { z } from "zod";
import { type Chain, chainNumbers } from "#core/chain/Chain.ts";
import { bytesOf, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { displayNative, displayTime } from "#plugins/market-index/display.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { readBookState } from "#plugins/market-index/orderBook.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import type { QuoteAnswer } from "#plugins/market-index/schemas/book.ts";

/** A listing as an estimate needs it; amounts for all `quantity` units. */
export type QuotedListing = {
	quantity: bigint;
	totalRaw: bigint;
	/** The price of one unit, in wei of ETH. */
	unitNative: bigint | null;
	/** The part that others than the seller get, for all units; null where the order does not say. */
	feeRaw: bigint | null;
	currency: string | null;
	symbol: string;
	decimals: number;
};

type QuoteLine<Listing extends QuotedListing> = { listing: Listing; units: bigint };

type Quote<Listing extends QuotedListing> = {
	lines: QuoteLine<Listing>[];
	/** Units that the listings have; fewer than wanted where the book is too thin. */
	units: bigint;
	/** Sum over the lines in wei of ETH; null as soon as one price is unknown. */
	subtotalNative: bigint | null;
	/** The part of the subtotal that others than sellers get; null where unknown. */
	feeNative: bigint | null;
	gasUnits: bigint;
};

type FoundListing = QuotedListing & {
	orderHash: Hex;
	tokenId: string | null;
	expiresAt: Date | null;
};

/** The most listings that a quote counts: as many as one purchase of several tokens may fill. */
export const QUOTE_LISTINGS_MAX = 50;

/** Limits how long a quote waits for the chain's gas price. */
const GAS_PRICE_TIMEOUT_MS = 2_000;

/**
 * Gas of filling one Seaport listing, and of each further one in the same transaction: the upper
 * end of what the sandbox's sales take (103,000 to 192,000; two 210,000 to 272,000).
 */
const GAS_OF_A_FIRST_FILL = 190_000n;
const GAS_OF_ANOTHER_FILL = 95_000n;

const amount = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/)
	.transform(BigInt);

const orderSchema = z.object({
	parameters: z.object({
		offerer: z.string(),
		consideration: z
			.array(z.object({ recipient: z.string(), startAmount: amount, itemType: z.coerce.number() }))
			.max(100),
	}),
});

/** Item types of a Seaport order that are payments. */
const MONEY_TYPE_MAX = 1;

const { gasPrice } = chainNumbers;

/**
 * Returns a function that reads a chain's present gas price, in wei of its coin. Null where the
 * chain does not answer in time: an estimate without its gas is still useful.
 */
export function gasPriceOf(indexed: readonly Pick<ChainAccess, "chain" | "rpcFor">[]) {
	return async ({ id }: Chain): Promise<bigint | null> => {
		const access = indexed.find(({ chain }) => chain.id === id);
		const signal = AbortSignal.timeout(GAS_PRICE_TIMEOUT_MS);
		try {
			const call = { method: "eth_gasPrice", params: [] };
			const isReadable = (answer: unknown) => gasPrice.safeParse(answer).success;
			return gasPrice.parse(await access?.rpcFor("requests").call(call, { signal, isReadable }));
		} catch {
			return null;
		}
	};
}

/** Returns an estimate from the stored book. Only the chain's gas price is read from outside. */
export async function readQuote(
	{ core, index, prices, providerHealth, gasPrice: readGasPrice }: RouteContext,
	found: FoundCollection,
	wanted: { tokenId: string | null; orderHash: Hex | null; units: bigint },
): Promise<QuoteAnswer> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const [listings, gasPrice, state] = await Promise.all([
		readQuotedListings(core.db, { ...wanted, collectionId: found.id, nowMs }),
		readGasPrice(chain),
		readBookState(core.db, { collectionId: found.id, isOn: providerHealth().isOn }),
	]);
	const bookReadAt = displayTime(state.listings);
	// Of a book that was never read nobody knows the cheapest; an order that is named is known.
	const isKnown = bookReadAt !== null || wanted.orderHash !== null;
	const quote = estimateQuote(isKnown ? listings : [], wanted.units);
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

/**
 * Fills `units` from listings, the first one first. Nothing is rounded in the buyer's favour: a
 * part of a listing costs its share rounded up.
 */
export function estimateQuote<Listing extends QuotedListing>(
	listings: readonly Listing[],
	units: bigint,
): Quote<Listing> {
	const lines: QuoteLine<Listing>[] = [];
	let left = units;
	for (const listing of listings) {
		if (left === 0n) break;
		const taken = listing.quantity < left ? listing.quantity : left;
		lines.push({ listing, units: taken });
		left -= taken;
	}
	return {
		lines,
		units: units - left,
		subtotalNative: sum(lines, ({ listing, units: taken }) => {
			return listing.unitNative === null ? null : listing.unitNative * taken;
		}),
		feeNative: sum(lines, ({ listing, units: taken }) => {
			const { feeRaw, totalRaw, unitNative } = listing;
			if (feeRaw === null || unitNative === null || totalRaw === 0n) return null;
			return divideUp(unitNative * taken * feeRaw, totalRaw);
		}),
		gasUnits:
			lines.length === 0
				? 0n
				: GAS_OF_A_FIRST_FILL + BigInt(lines.length - 1) * GAS_OF_ANOTHER_FILL,
	};
}

/**
 * Returns listings that any account may fill now, the cheapest first; of one token where one is
 * named.
 */
async function readQuotedListings(
	db: Queryable,
	query: { collectionId: number; tokenId: string | null; orderHash: Hex | null; nowMs: number },
): Promise<FoundListing[]> {
	const { collectionId, tokenId, orderHash, nowMs } = query;
	const rows = await db.query<{
		orderHash: Hex;
		tokenId: string | null;
		quantity: string;
		totalRaw: string;
		unitNative: string | null;
		currency: string | null;
		symbol: string;
		decimals: number;
		protocolData: unknown;
		expiresAt: Date | null;
	}>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", token_id as "tokenId", quantity,
			total_raw as "totalRaw", unit_native as "unitNative",
			'0x' || encode(currency, 'hex') as currency, symbol, decimals,
			protocol_data as "protocolData", expires_at as "expiresAt"
		from market_index.market_order
		where collection_id = $1 and is_active and kind = 0 and not is_private
			and ($2::numeric is null or token_id = $2) and ($3::bytea is null or order_hash = $3)
			and (starts_at is null or starts_at <= $4) and (expires_at is null or expires_at > $4)
		order by unit_native nulls last, order_hash limit $5`,
		[
			collectionId,
			tokenId,
			orderHash === null ? null : bytesOf(orderHash),
			new Date(nowMs),
			QUOTE_LISTINGS_MAX,
		],
	);
	return rows.map(({ protocolData, ...row }) => ({
		...row,
		quantity: BigInt(row.quantity),
		totalRaw: BigInt(row.totalRaw),
		unitNative: row.unitNative === null ? null : BigInt(row.unitNative),
		feeRaw: feeOfOrder(protocolData),
	}));
}

/**
 * Returns the part of a listing's price that others than its seller get, in base units, by its
 * signed order; null without a readable order.
 */
export function feeOfOrder(protocolData: unknown): bigint | null {
	const read = orderSchema.safeParse(protocolData);
	if (!read.success) return null;
	const { offerer, consideration } = read.data.parameters;
	let fee = 0n;
	for (const { recipient, startAmount, itemType } of consideration) {
		if (itemType > MONEY_TYPE_MAX) return null;
		if (recipient.toLowerCase() !== offerer.toLowerCase()) fee += startAmount;
	}
	return fee;
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

function sum<Item>(items: readonly Item[], of: (item: Item) => bigint | null): bigint | null {
	let total = 0n;
	for (const item of items) {
		const part = of(item);
		if (part === null) return null;
		total += part;
	}
	return total;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
	return (dividend + divisor - 1n) / divisor;
}
