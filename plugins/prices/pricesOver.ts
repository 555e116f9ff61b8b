// Converts amounts to USD and ETH, exactly; lists which tokens are the same money on all chains.

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

/** Money that exists as a token on several chains. Ether needs no rate; dollars share a feed. */
type Money = "ETH" | "USDC" | "USDT";

/** A token that is such money, one to one, on one chain. */
type KnownMoney = Priced & { is: Money; decimals: number; source: string };

/** The largest power of ten in an amount of money: `UNITS_BOUND` has 78 digits. */
const EXPONENT_MAX = 78;

const ETH_DECIMALS = 18;
/** The symbols of ether, also on chains whose coin is another one. */
const ETH_SYMBOLS = new Set(["ETH", "WETH"]);

const CIRCLE = "developers.circle.com/stablecoins/usdc-contract-addresses";
const OPENSEA = "@opensea/sdk 12.9.1, src/utils/chain.ts";

/**
 * Every token that counts as ether or as a known dollar, by chain and address; of dollars the first
 * with a feed prices all. Names prove nothing: whoever makes a token chooses its symbol. Tokens
 * that gain interest are not here, as one of them is more than one ether.
 */
const KNOWN_MONEY: readonly KnownMoney[] = [
	...known("ETH", OPENSEA, [[137, "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619"]]),
	...known("ETH", "docs.skymavis.com, Ronin's token list", [
		[2_020, "0xc99a6a985ed2cac1ef41640596c5a5f9f4e19ef5"],
	]),
	...known("ETH", "core.app, Avalanche bridge: WETH.e", [
		[43_114, "0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab"],
	]),
	...known("ETH", "docs.berachain.com, deployed contracts", [
		[80_094, "0x2f6f07cdcf3588944bf4c42ac74ff24bf56e7590"],
	]),
	...known("ETH", "github.com/monad-crypto/token-list", [
		[143, "0xee8c0e9f1bffb4eb878d8f15f368a02a35481242"],
	]),
	...known("ETH", "docs.hyperunit.xyz: UETH", [
		[999, "0xbe6727b535545c67d5caa73dea54865b92cf7907"],
	]),
	...known("USDC", CIRCLE, [
		[1, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", 6],
		[10, "0x0b2c639c533813f4aa9d7837caf62653d097ff85", 6],
		[137, "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", 6],
		[8_453, "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 6],
		[42_161, "0xaf88d065e77c8cc2239327c5edb3a432268e5831", 6],
		[43_114, "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", 6],
		[130, "0x078d782b760474a361dda0af3839290b0ef57ad6", 6],
	]),
	...known("USDC", "bridged by the chains themselves, as their explorers name them", [
		[10, "0x7f5c764cbc14f9669b88837ca1490cca17c31607", 6],
		[137, "0x2791bca1f2de4661ed88a30c99a7a9449aa84174", 6],
		[42_161, "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8", 6],
		[43_114, "0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664", 6],
		[2_020, "0x0b7007c13325c48911f73a2dad5fa5dcbf808adc", 6],
	]),
	...known("USDT", "tether.to, supported protocols; usdt0.to, deployments", [
		[1, "0xdac17f958d2ee523a2206206994597c13d831ec7", 6],
		[42_161, "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9", 6],
		[137, "0xc2132d05d31c914a87c6611c10748aeb04b58e8f", 6],
		// Stable's coin, and the contract through which it is an ERC-20.
		[988, ZERO_ADDRESS],
		[988, "0x779ded0c9e1022225f8e0630b35a9b54be713736", 6],
	]),
];

const MONEY_AT = new Map(KNOWN_MONEY.map((money) => [keyOf(money), money]));

/**
 * Returns the arithmetic of prices over any source of rates. Exact in integers; an amount that no
 * chain could hold is unknown.
 */
export function pricesOver(chains: ChainRegistry, source: RateSource): Omit<Prices, "onLearned"> {
	function usdRate(priced: Priced, atMs: number): UsdRate | null {
		const plain = plainOf(chains, priced);
		return plain === "eth" ? source.ethAt(atMs) : rateAt(source, plain, atMs);
	}
	function toNative(priced: Priced, raw: bigint, atMs: number): bigint | null {
		const plain = plainOf(chains, priced);
		if (plain === "eth") return raw;
		const rate = rateAt(source, plain, atMs);
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
			return plain === "eth" ? source.hasEth() : feedFor(source, plain) !== null;
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
 * Returns all tokens that are the same money as a priced one, itself among them: what is learned of
 * its price is learned of theirs. Those of ether stand beside every chain's own coin.
 */
export function sameMoneyAs(priced: Priced, { isEth }: { isEth: boolean }): Priced[] {
	const own = isEth ? "ETH" : MONEY_AT.get(keyOf(priced))?.is;
	const same = KNOWN_MONEY.filter(({ is }) => is === own);
	const others = same.filter((one) => keyOf(one) !== keyOf(priced));
	return [priced, ...others.map(({ chainId, currency }) => ({ chainId, currency }))];
}

function keyOf({ chainId, currency }: Priced): string {
	return `${chainId}:${currency}`;
}

/** Says whether a token is ether that a bridge brought to a chain with another coin. */
export function isBridgedEther(priced: Priced): boolean {
	return MONEY_AT.get(keyOf(priced))?.is === "ETH";
}

/** Lists tokens of one money, with the source that names them. */
function known(
	is: Money,
	source: string,
	tokens: readonly (readonly [chainId: number, currency: Address, decimals?: number])[],
): KnownMoney[] {
	return tokens.map(([chainId, currency, decimals = ETH_DECIMALS]) => {
		return { chainId, currency, is, decimals, source };
	});
}

/** Returns which feed prices a currency: its own, or that of the same money; null: none does. */
function feedFor(source: RateSource, priced: Priced): Priced | null {
	if (source.has(priced)) return priced;
	const own = MONEY_AT.get(keyOf(priced))?.is;
	if (own === undefined || own === "ETH") return null;
	return KNOWN_MONEY.find((one) => one.is === own && source.has(one)) ?? null;
}

/** Returns the rate of a currency by its feed; a shared one's, with this token's own decimals. */
function rateAt(source: RateSource, priced: Priced, atMs: number): UsdRate | null {
	const feed = feedFor(source, priced);
	if (!feed) return source.rateAt(priced, atMs);
	const rate = source.rateAt({ chainId: feed.chainId, currency: feed.currency }, atMs);
	const decimals = feed === priced ? undefined : MONEY_AT.get(keyOf(priced))?.decimals;
	return rate && decimals !== undefined ? { ...rate, currencyDecimals: decimals } : rate;
}

/**
 * Returns what a currency is priced as: a coin's wrapped form as the coin, and ETH as one currency
 * on every chain: as its coin, and as the token that a bridge made of it.
 */
function plainOf(chains: ChainRegistry, { chainId, currency }: Priced): Priced | "eth" {
	if (isBridgedEther({ chainId, currency })) return "eth";
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
