// Makes price feeds from a seed, with their beginnings, gaps and ends.

import {
	type Aggregator,
	createAggregator,
	createToken,
	type FeedRound,
} from "#test/conformance/provider/chain/contracts.ts";
import type { Calls } from "#test/conformance/provider/chain/startNode.ts";
import {
	type Coin,
	coins,
	createRandom,
	type Random,
} from "#test/conformance/provider/world/World.ts";

/** A price feed and the coin it prices; for a chain's own coin, its wrapped form as well. */
export type Feed = { chain: string; coin: Coin; heartbeatMs: number; aggregator: Aggregator };

/** For how much of the last two days ether has a price. */
export type FeedWorld = "whole" | "begins" | "stale" | "none";

export type Feeds = {
	world: FeedWorld;
	all: readonly Feed[];
	/** What a node returns when the feeds and the tokens are called. */
	contracts: readonly Calls[];
	/** The service's `USD_FEEDS_JSON`. */
	config: string;
	/** Adds two rounds to each feed that is still updated: one a minute ago, one now. */
	publish(nowMs: number): void;
};

const WORLDS: readonly FeedWorld[] = ["begins", "whole", "stale", "none"];
const BASE = 8_453;
const CHAIN_IDS: Record<string, number> = { base: BASE, apechain: 33_139 };
const HOUR_S = 3_600;
const ETHER_HEARTBEAT_S = 6 * HOUR_S;
const APE_HEARTBEAT_S = 24 * HOUR_S;
const DOLLAR_HEARTBEAT_S = 24 * HOUR_S;
/** Says how many hours ago the numbering of rounds began anew. */
const NEW_PHASE_HOURS = 9;
/**
 * The spans (hours ago) in which ether's feed is updated. An answer is valid for two heartbeats:
 * for 12 hours after the feed's last round before a pause.
 */
const SPEAKS: Record<FeedWorld, readonly (readonly [number, number])[]> = {
	whole: [
		[44, 33],
		[16, 0.1],
	],
	begins: [[11, 0.1]],
	stale: [[44, 14]],
	none: [],
};
const DOLLAR_HOURS = [30, 26.5, 12, 5, 1];
const PLACES = 10n ** 8n;

/**
 * Makes the price feeds of a seed: ether's begins, pauses or ends; a dollar coin's is beside it.
 */
export function makeFeeds(seed: number, nowMs: number): Feeds {
	const world = WORLDS[(seed >> 1) % WORLDS.length] ?? "none";
	// A separate random source: the chain of a seed stays the same with feeds and without.
	const random = createRandom(seed + 0xfeed);
	const etherHours = SPEAKS[world].flatMap(([from, until]) => hoursOf(from, until, random));
	const etherPrice = () => BigInt(2_000 + random.below(2_000)) * PLACES + BigInt(random.below(1e8));
	const dollarPrice = () => PLACES - 100_000n + BigInt(random.below(200_000));
	const apePrice = () => BigInt(1 + random.below(4e8)) * 10n ** 10n;
	const make = (name: string, hours: readonly number[], price: () => bigint, decimals = 8) => {
		const rounds = roundsOf(hours, { nowMs, price });
		return createAggregator(name, { decimals, rounds });
	};
	const ether = make("ether", etherHours, etherPrice);
	const dollar = make("dollar coin", DOLLAR_HOURS, dollarPrice);
	const ape = make("ape", hoursOf(40, 0.2, random), apePrice, 18);
	const feed = (chain: string, coin: Coin, heartbeatS: number, aggregator: Aggregator): Feed => {
		return { chain, coin, heartbeatMs: heartbeatS * 1_000, aggregator };
	};
	const all = [
		feed("base", coins.eth, ETHER_HEARTBEAT_S, ether),
		feed("base", coins.usdcOnBase, DOLLAR_HEARTBEAT_S, dollar),
		feed("apechain", coins.ape, APE_HEARTBEAT_S, ape),
	];
	const prices = new Map([
		[ether, etherPrice],
		[dollar, dollarPrice],
		[ape, apePrice],
	]);
	const speaking = all.filter(({ coin }) => coin !== coins.eth || world !== "stale");
	return {
		world,
		all: world === "none" ? [] : all,
		contracts: [ether.call, dollar.call, ape.call, createToken(coins.usdcOnBase)],
		config: JSON.stringify(world === "none" ? {} : configOf(all)),
		publish(nowMs) {
			if (world === "none") return;
			for (const { aggregator } of speaking) {
				const last = aggregator.rounds.at(-1);
				const price = prices.get(aggregator) ?? etherPrice;
				const nowS = Math.floor(nowMs / 1_000);
				for (const [at, atS] of [nowS - 60, nowS].entries()) {
					const { phase = 1, number = 0 } = last ?? {};
					aggregator.publish({ phase, number: number + 1 + at, answer: price(), atS });
				}
			}
		},
	};
}

/** Returns the configuration by chain and token. All feeds are on the one chain that has a node. */
function configOf(feeds: readonly Feed[]) {
	const chains = Map.groupBy(feeds, ({ chain }) => CHAIN_IDS[chain]);
	const entries = [...chains].map(([id, own]) => {
		const tokens = own.map(({ coin: { address, symbol }, heartbeatMs, aggregator }) => {
			const heartbeatSeconds = heartbeatMs / 1_000;
			return [address, { feed: aggregator.address, feedChain: BASE, heartbeatSeconds, symbol }];
		});
		return [id, Object.fromEntries(tokens)];
	});
	return Object.fromEntries(entries);
}

/** Returns times (hours ago) from one to another in steps of up to an hour. */
function hoursOf(from: number, until: number, random: Random): number[] {
	const hours: number[] = [];
	for (let at = from; at > until; at -= 0.4 + random.below(60) / 100) hours.push(at);
	return [...hours, until];
}

/** Returns rounds in two phases, with missing numbers and invalid answers. */
function roundsOf(
	hours: readonly number[],
	{ nowMs, price }: { nowMs: number; price: () => bigint },
): FeedRound[] {
	const numbers = new Map<number, number>();
	return hours.map((hour, at): FeedRound => {
		const phase = hour > NEW_PHASE_HOURS ? 1 : 2;
		const number = (numbers.get(phase) ?? 0) + (at % 7 === 3 ? 2 : 1);
		numbers.set(phase, number);
		const bad = at % 9 === 5 ? 0n : at % 9 === 7 ? -price() : null;
		const isLast = at === hours.length - 1;
		const answer = bad === null || isLast ? price() : bad;
		return { phase, number, answer, atS: Math.floor(nowMs / 1_000 - hour * HOUR_S) };
	});
}
