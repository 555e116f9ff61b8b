import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Currency } from "#core/money/Currency.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { mulDiv } from "#core/money/mulDiv.ts";
import { BPS, QUOTE_LIFETIME_MS } from "#plugins/trading/limits.ts";
import type { SourceAnswer } from "#plugins/trading/quotes/askSources.ts";
import type { PickedRoute } from "#plugins/trading/quotes/pickRoute.ts";
import type { QuoteAsk } from "#plugins/trading/quotes/QuoteSource.ts";
import type { QuoteRow } from "#plugins/trading/sql/quotes.ts";
import type { SwapDeps } from "#plugins/trading/swap/SwapDeps.ts";
import type { SwapRequest, TradeCurrency } from "#plugins/trading/swap/tradeRequest.ts";

/** The quote that a trade's request was recorded with. */
export type QuotedSwap = SwapRequest["quoted"];

/** Returns the request to the quote sources: the coin is swapped in its wrapped form. */
export function askOf(
	{ chainId, wrapped }: Pick<SwapDeps, "chainId" | "wrapped">,
	swap: {
		sell: Pick<TradeCurrency, "address">;
		buy: Pick<TradeCurrency, "address">;
		exact: "in" | "out";
		amountRaw: bigint;
		taker: Address;
	},
): QuoteAsk {
	const { sell, buy, exact, amountRaw, taker } = swap;
	const tokenOf = (address: Address) => (address === ZERO_ADDRESS ? wrapped : address);
	return {
		...{ chainId, tokenIn: tokenOf(sell.address), tokenOut: tokenOf(buy.address) },
		...{ isNativeIn: sell.address === ZERO_ADDRESS, isNativeOut: buy.address === ZERO_ADDRESS },
		...{ exact, amountRaw, taker },
	};
}

/** Converts a chosen route to the form that is stored. */
export function quotedOf({ source, askedAtMs, route, ...rest }: PickedRoute): QuotedSwap {
	const { inRaw, outRaw, blockNumber, hops, impactBps } = route;
	const { divergenceBps, missing } = rest;
	return {
		...{ source, askedAtMs, impactBps, divergenceBps, missing: [...missing], hops: [...hops] },
		...{ inRaw: String(inRaw), outRaw: String(outRaw) },
		blockNumber: blockNumber === null ? null : String(blockNumber),
	};
}

/** Returns true if a quote is too old to be used. */
export function isStale({ askedAtMs }: Pick<QuotedSwap, "askedAtMs">, nowMs: number): boolean {
	return nowMs >= askedAtMs + QUOTE_LIFETIME_MS || nowMs < askedAtMs;
}

/** Returns the least received of an exact input, or the most spent for an exact output. */
export function limitFor(
	{ inRaw, outRaw }: { inRaw: bigint; outRaw: bigint },
	{ exact, slippageBps }: { exact: "in" | "out"; slippageBps: number },
): bigint {
	const slip = BigInt(slippageBps);
	// Rounded in the trader's favour: never less received, never more spent than the bound says.
	if (exact === "in") return mulDiv(outRaw, BPS - slip, BPS, "up");
	return mulDiv(inRaw, BPS + slip, BPS, "down");
}

/** Converts the sources' answers to rows that are recorded with a trade. */
export function quoteRows(
	answers: readonly SourceAnswer[],
	picked: PickedRoute | null,
): QuoteRow[] {
	return answers.map((answer) => {
		const { source } = answer;
		const askedAt = new Date(answer.askedAtMs);
		const isTaken = picked?.source === source;
		if (answer.kind === "none") {
			const { code, detail } = answer;
			return {
				...{ askedAt, source, isTaken: false, inRaw: null, outRaw: null, blockNumber: null },
				...{ impactBps: null, requestId: null, hops: null, code, detail: { detail } },
			};
		}
		const { inRaw, outRaw, blockNumber, impactBps, requestId, hops, detail } = answer.route;
		return {
			...{ askedAt, source, isTaken, inRaw, outRaw, blockNumber, impactBps, requestId, hops },
			...{ code: null, detail },
		};
	});
}

/** Writes an amount for people: `1.5 TSLA`. */
export function amountText(raw: bigint, currency: Currency): string {
	return `${formatAmount({ units: raw, currency })} ${currency.symbol}`;
}
