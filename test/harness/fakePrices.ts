import { builtinChains } from "#core/chain/builtinChains.ts";
import { type ChainRegistry, createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Prices, UsdRate } from "#plugins/prices/contract.ts";
import { pricesOver } from "#plugins/prices/pricesOver.ts";

type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

/** Prices from a table that a test fills; they never become stale. An empty one knows only ETH. */
export type FakePrices = Prices & {
	/** Sets the USD price of one ETH; null removes it. */
	setEth(usd: number | null): void;
	/** Sets the USD price of one whole unit of a currency; the zero address is a chain's own coin. */
	set(rate: FakeRate): void;
	/** Notifies the listeners that a span became known, as a worker does, and waits for them. */
	learn(learned: Learned): Promise<void>;
};

export type FakeRate = {
	chainId: number;
	currency: Address;
	usd: number;
	/** The decimals of the priced currency. */
	decimals?: number;
	symbol?: string;
	/** Before this time the price is unknown. */
	fromMs?: number;
};

const FEED_DECIMALS = 8;

export function fakePrices(chains: ChainRegistry = createChainRegistry(builtinChains)): FakePrices {
	let eth: UsdRate | null = null;
	const rates = new Map<string, UsdRate>();
	const symbols = new Map<string, Address>();
	const listeners: ((learned: Learned) => Promise<void>)[] = [];
	const keyOf = (chainId: number, name: string) => `${chainId}:${name}`;
	const prices = pricesOver(chains, {
		rateAt({ chainId, currency }, atMs) {
			const rate = rates.get(keyOf(chainId, currency));
			return rate && rate.updatedAtMs <= atMs ? rate : null;
		},
		ethAt: () => eth,
		has: ({ chainId, currency }) => rates.has(keyOf(chainId, currency)),
		hasEth: () => eth !== null,
		tokenOf: (chainId, symbol) => symbols.get(keyOf(chainId, symbol)) ?? null,
	});
	return {
		...prices,
		onLearned: (listener) => void listeners.push(listener),
		setEth(usd) {
			eth = usd === null ? null : rateOf(usd, 18, 0);
		},
		set({ chainId, currency, usd, decimals = 18, symbol, fromMs = 0 }) {
			rates.set(keyOf(chainId, currency), rateOf(usd, decimals, fromMs));
			if (symbol) symbols.set(keyOf(chainId, symbol.toUpperCase()), currency);
		},
		async learn(learned) {
			for (const listener of listeners) await listener(learned);
		},
	};
}

function rateOf(usd: number, currencyDecimals: number, updatedAtMs: number): UsdRate {
	const answer = BigInt(Math.round(usd * 10 ** FEED_DECIMALS));
	return { answer, decimals: FEED_DECIMALS, currencyDecimals, updatedAtMs };
}
