// Makes a wallet provider, prices and a marketplace provider in memory.

import { builtinChains } from "#core/chain/builtinChains.ts";
import { type ChainRegistry, createChainRegistry } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Fault } from "#core/fault.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { offCustody } from "#plugins/custody/plugin.ts";
import type { Prices, UsdRate } from "#plugins/prices/contract.ts";
import { pricesOver } from "#plugins/prices/pricesOver.ts";
import type {
	Provider,
	ProviderCallOptions,
	ProviderPush,
	ProviderStream,
	ProviderStreamState,
} from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";

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

export type ProviderMethod = Exclude<keyof Provider, "id" | "isOn" | "isConnected" | "stream">;
export type ProviderAnswers = { [Method in ProviderMethod]: Provider[Method] };
/** One call; `args` without the options. */
export type ProviderCall = {
	method: ProviderMethod;
	args: readonly unknown[];
	options: ProviderCallOptions & Record<string, unknown>;
	purpose: ProviderCallOptions["purpose"];
};

export type FakeProvider = {
	/** The provider that a plugin gets. */
	provider: Provider;
	/** Every call so far, oldest first, including failed ones. */
	calls: ProviderCall[];
	callsOf(method: ProviderMethod): ProviderCall[];
	/** The answer of each method. Replace one to change it; by default they answer null or []. */
	answers: ProviderAnswers;
	/** Makes the method fail with this error; `null` ends that. */
	fail(method: ProviderMethod, fault: Error | null): void;
	/** Makes every method fail with this error; `null` ends that. */
	failAll(fault: Error | null): void;
	/** Faults as the real client makes them. */
	faults: {
		rateLimited(retryAfterMs?: number): Fault;
		unavailable(): Fault;
		unreadable(): Fault;
		refused(): Fault;
	};
	connected: boolean | null;
	/** The stream, driven by the test; each call returns when every listener is done. */
	stream: {
		state: ProviderStreamState;
		followed: readonly string[];
		push(...pushes: ProviderPush[]): Promise<void>;
		gap(gap: Gap): Promise<void>;
	};
};

type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

type Gap = { slugs: readonly string[]; sinceMs: number };

/** Makes the faults of a wallet provider that does not answer, or that says no. */
export const custodyFaults = {
	silent: () => custodyFault.unavailable(),
	no: () => custodyFault.refused(),
};

const FEED_DECIMALS = 8;

/** Returns a wallet provider that does what a test says; all else it refuses, as if it were off. */
export function fakeCustody(does: Partial<Custody> = {}): Custody {
	return { ...offCustody, isOn: true, ...does };
}

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

/**
 * Makes the marketplace provider in memory: a test sets answers and faults, reads the calls with
 * their purposes, and fires pushes and gaps.
 *
 * @example
 * const fake = createFakeProvider();
 * fake.answers.slugOf = async () => "cats";
 * fake.fail("stats", fake.faults.rateLimited(2_000));
 * await fake.stream.gap({ slugs: ["cats"], sinceMs: 0 });
 */
export function createFakeProvider({ isOn = true }: { isOn?: boolean } = {}): FakeProvider {
	const calls: ProviderCall[] = [];
	const failing = new Map<ProviderMethod, Error>();
	const pushed: ((pushes: readonly ProviderPush[]) => Promise<void>)[] = [];
	const gapped: ((gap: Gap) => Promise<void>)[] = [];
	let failingAll: Error | null = null;
	const answers = nothing();

	const record =
		(method: ProviderMethod) =>
		async (...args: unknown[]) => {
			const options = args.at(-1) as ProviderCall["options"];
			calls.push({ method, args: args.slice(0, -1), options, purpose: options.purpose });
			if (!isOn) throw providerFault.off();
			const fault = failingAll ?? failing.get(method);
			if (fault) throw fault;
			return (answers[method] as (...args: unknown[]) => Promise<unknown>)(...args);
		};

	const stream: ProviderStream = {
		state: () => fake.stream.state,
		follow: (slugs) => {
			fake.stream.followed = [...slugs];
		},
		onPushes: (listener) => void pushed.push(listener),
		onGap: (listener) => void gapped.push(listener),
	};
	const recorded = Object.fromEntries(
		(Object.keys(answers) as ProviderMethod[]).map((method) => [method, record(method)]),
	) as unknown as ProviderAnswers;
	const fake: FakeProvider = {
		provider: { id: "opensea", isOn, isConnected: () => fake.connected, stream, ...recorded },
		calls,
		callsOf: (method) => calls.filter((call) => call.method === method),
		answers,
		fail(method, fault) {
			if (fault) failing.set(method, fault);
			else failing.delete(method);
		},
		failAll(fault) {
			failingAll = fault;
		},
		faults: {
			rateLimited: (retryAfterMs = 1_000) =>
				providerFault.rateLimited({
					meta: { refusedBy: "provider" },
					members: { provider: "opensea", retryAfterMs },
				}),
			unavailable: () => providerFault.unavailable(),
			unreadable: () => providerFault.unreadable(),
			refused: () => providerFault.refused(),
		},
		connected: null,
		stream: {
			state: "off",
			followed: [],
			async push(...pushes) {
				for (const listener of pushed) await listener(pushes);
			},
			async gap(gap) {
				for (const listener of gapped) await listener(gap);
			},
		},
	};
	return fake;
}

function rateOf(usd: number, currencyDecimals: number, updatedAtMs: number): UsdRate {
	const answer = BigInt(Math.round(usd * 10 ** FEED_DECIMALS));
	return { answer, decimals: FEED_DECIMALS, currencyDecimals, updatedAtMs };
}

/** Returns the answers of a provider that knows nothing. */
function nothing(): ProviderAnswers {
	const noPage = async () => ({ items: [], cursor: null });
	const none = async () => null;
	return {
		newest: noPage,
		trending: noPage,
		top: noPage,
		search: async () => [],
		slugOf: none,
		collection: none,
		stats: none,
		traits: none,
		traitFloors: none,
		events: noPage,
		listings: noPage,
		bestListings: noPage,
		bestListing: none,
		offers: noPage,
		order: none,
		nft: none,
		nfts: noPage,
		drops: noPage,
		drop: none,
		listingFulfilment: none,
	};
}
