import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { decimalString } from "#core/money/decimalString.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { getUserRawBalance, getUserUIBalance, type Holding } from "#plugins/trading/holdings.ts";
import { MICROS_DECIMALS, priceParts, renderPrice } from "#plugins/trading/renderAsset.ts";

const MULTIPLIER_DECIMALS = 18;

export const holdingSchema = z
	.object({
		walletId: field.id("The wallet, by its id here."),
		walletAddress: field.addressText("The wallet's address."),
		chain: field.text("Slug of the chain.", "robinhood"),
		chainId: field.integer("EIP-155 id of the chain.", 4_663),
		address: field.addressText("The token; the zero address is the chain's coin."),
		symbol: field.text("Its ticker.", "TSLA"),
		name: field.text("Its name.", "Tesla"),
		kind: z
			.enum(["native", "wrapped", "stable", "stock"])
			.meta({ description: "What it is: a coin, a currency of settlement, a stock token." }),
		status: z.enum(["active", "delisted_pending_review", "unverified"]).meta({
			description: "Only `active` is traded; `unverified` is paused, or waits for a check.",
		}),
		balanceRaw: field
			.digits("What can be traded, in base units; null where the chain did not say.", "2500000")
			.nullable(),
		balance: field.decimal("The same in whole tokens, exact.", "2.5").nullable(),
		uiBalance: field
			.decimal("The same as shares: times the multiplier. To look at, never to send.", "7.5")
			.nullable(),
		multiplier: field.decimal("Shares that one token shows as; null where none.", "3").nullable(),
		...priceParts,
		valueUsd: field
			.number("In US dollars: `balance` times `priceUsd`; null where one is not known.", 1_031.25)
			.nullable(),
	})
	.meta({ id: "Holding", description: "What one wallet holds of one token." });

export const holdingsSchema = z
	.object({
		data: z
			.array(holdingSchema)
			.meta({ description: "The most valuable first; what holds nothing is left out." }),
		page: pageSchema,
		totalUsd: field
			.number("What all of it is worth, in US dollars; null where a part is not known.", 2_048.5)
			.nullable(),
		knownUsd: field.number("What the known part is worth, in US dollars.", 2_048.5),
		asOf: field.time("When balances were read."),
	})
	.meta({ id: "Holdings", description: "What a profile's wallets hold, and what it is worth." });

export type HoldingsAnswer = z.output<typeof holdingsSchema>;

export function renderHoldings(
	holdings: readonly Holding[],
	{ chain, nowMs }: { chain: string; nowMs: number },
): HoldingsAnswer {
	const known = holdings.flatMap(({ valueMicros }) => (valueMicros === null ? [] : [valueMicros]));
	const sum = known.reduce((total, value) => total + value, 0n);
	const knownUsd = toDisplayNumber(sum, MICROS_DECIMALS);
	return {
		data: holdings.toSorted(byValue).map((holding) => rendered(holding, chain)),
		page: { nextCursor: null, hasMore: false },
		totalUsd: known.length === holdings.length ? knownUsd : null,
		knownUsd,
		asOf: new Date(nowMs).toISOString(),
	};
}

function rendered(holding: Holding, chain: string): z.output<typeof holdingSchema> {
	const { wallet, asset, multiplier, price, valueMicros } = holding;
	const raw = getUserRawBalance(holding);
	const shown = getUserUIBalance(holding);
	const { chainId, address, symbol, name, kind, status, decimals } = asset;
	return {
		...{ walletId: wallet.id, walletAddress: wallet.address, chain, chainId, address },
		...{ symbol, name, kind, status },
		balanceRaw: raw === null ? null : String(raw),
		balance: raw === null ? null : decimalString(raw, decimals),
		uiBalance: shown === null ? null : decimalString(shown, decimals),
		multiplier:
			typeof multiplier === "bigint" ? decimalString(multiplier, MULTIPLIER_DECIMALS) : null,
		...renderPrice(price),
		valueUsd: valueMicros === null ? null : toDisplayNumber(valueMicros, MICROS_DECIMALS),
	};
}

/** Orders by value, the highest first and unknown values last. */
function byValue(a: Holding, b: Holding): number {
	const [of, to] = [a.valueMicros ?? -1n, b.valueMicros ?? -1n];
	if (of === to) return a.asset.symbol < b.asset.symbol ? -1 : 1;
	return of > to ? -1 : 1;
}
