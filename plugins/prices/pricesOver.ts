// Converts amounts to USD and ETH, exactly, over any source of rates.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { mulDiv, toDisplayNumber, UNITS_BOUND } from "#core/money.ts";
import type { Priced, Prices, UsdRate } from "#plugins/prices/contract.ts";

/**
 * A source of rates. It is asked for a chain's coin by the zero address, never by its wrapped form.
 */
export type RateSource = {
	rateAt(priced: Priced, atMs: number): UsdRate | null;
	/** Returns USD for one ETH, by whichever chain's feed has it. */
	ethAt(atMs: number): UsdRate | null;
	has(priced: Priced): boolean;
	hasEth(): boolean;
	/** Returns the token that the configuration gave this symbol on a chain. */
	tokenOf(chainId: number, symbol: string): Address | null;
};

/** The largest power of ten in an amount of money: `UNITS_BOUND` has 78 digits. */
const EXPONENT_MAX = 78;

const ETH_DECIMALS = 18;
/** The symbols of ether, also on chains whose coin is another one. */
const ETH_SYMBOLS = new Set(["ETH", "WETH"]);

/**
 * Returns the arithmetic of prices over any source of rates. Exact in integers; an amount that no
 * chain could hold is unknown.
 */
export function pricesOver(chains: ChainRegistry, source: RateSource): Omit<Prices, "onLearned"> {
	function usdRate(priced: Priced, atMs: number): UsdRate | null {
		const plain = plainOf(chains, priced);
		return plain === "eth" ? source.ethAt(atMs) : source.rateAt(plain, atMs);
	}
	function toNative(priced: Priced, raw: bigint, atMs: number): bigint | null {
		const plain = plainOf(chains, priced);
		if (plain === "eth") return raw;
		const rate = source.rateAt(plain, atMs);
		const eth = rate && source.ethAt(atMs);
		return rate && eth ? weiOf(raw, rate, eth) : null;
	}
	return {
		usdRate,
		toNative,
		toUsd(priced, raw, atMs) {
			const rate = usdRate(priced, atMs);
			return rate && toDisplayNumber(raw * rate.answer, rate.decimals + rate.currencyDecimals);
		},
		ethUsd(atMs) {
			const rate = source.ethAt(atMs);
			return rate && toDisplayNumber(rate.answer, rate.decimals);
		},
		nativeOfSymbol(chainId, symbol, value, atMs) {
			const amount = decimalOf(value);
			const chain = chains.byId(chainId);
			const currency = chain && currencyOf(chain, symbol, source);
			if (!amount || !currency) return null;
			if (currency === "eth") return amount(ETH_DECIMALS);
			const rate = usdRate({ chainId, currency }, atMs);
			return rate && toNative({ chainId, currency }, amount(rate.currencyDecimals), atMs);
		},
		hasFeed(priced) {
			const plain = plainOf(chains, priced);
			return plain === "eth" ? source.hasEth() : source.has(plain);
		},
	};
}

/**
 * Returns a function that gives a JSON number in base units of so many decimals, rounded down. It
 * uses the shortest text that reads back as the double, which is what the sender wrote; the
 * double's own value is not (0.07 is 0.070000000000000006…). Null for a number that is no amount.
 *
 * @example decimalOf(0.07)?.(18) // 70000000000000000n
 */
export function decimalOf(value: number): ((decimals: number) => bigint) | null {
	if (!Number.isFinite(value) || value < 0) return null;
	const [mantissa = "", exponentText = "0"] = String(value).split("e");
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = BigInt(whole + fraction);
	const exponent = Number(exponentText) - fraction.length;
	if (exponent > EXPONENT_MAX) return null;
	return (decimals) => {
		const shift = decimals + exponent;
		return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
	};
}

/**
 * Returns what a currency is priced as: a coin's wrapped form as the coin, and ETH as one currency
 * on every chain whose coin it is.
 */
function plainOf(chains: ChainRegistry, { chainId, currency }: Priced): Priced | "eth" {
	const chain = chains.byId(chainId);
	const isNative = currency === ZERO_ADDRESS || currency === chain?.wrappedNative;
	if (!isNative) return { chainId, currency };
	return chain?.nativeIsEth ? "eth" : { chainId, currency: ZERO_ADDRESS };
}

/** Converts to wei, rounded down: no price is shown that was not reached. */
function weiOf(raw: bigint, rate: UsdRate, eth: UsdRate): bigint | null {
	const wei = mulDiv(
		raw * rate.answer,
		10n ** BigInt(eth.decimals + ETH_DECIMALS),
		eth.answer * 10n ** BigInt(rate.decimals + rate.currencyDecimals),
		"down",
	);
	return wei < UNITS_BOUND ? wei : null;
}

function currencyOf(chain: Chain, symbol: string, source: RateSource): Address | "eth" | null {
	const name = symbol.trim().toUpperCase();
	if (ETH_SYMBOLS.has(name)) return "eth";
	const own = chain.nativeCurrency.symbol.toUpperCase();
	if (name === own || name === `W${own}`) return ZERO_ADDRESS;
	return source.tokenOf(chain.id, name);
}
