// Calculates the expected page of a collection, and its row in lists.

import {
	type Check,
	differences,
	type Expected,
	isNear,
	notAFigure,
} from "#test/e2e/oracle/differences.ts";
import { newestOf } from "#test/e2e/oracle/expected/bookOf.ts";
import {
	figureOf,
	figuresOf,
	numberOf,
	partialOf,
	rawOf,
	type Tally,
} from "#test/e2e/oracle/expected/figuresOf.ts";
import {
	dollarsOf,
	ether,
	type Figure,
	inDollars,
	unitWorthOf,
} from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/model.ts";

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state, or a time at which the service did something");
const dropState = notAFigure("a state");
const DAY_MS = 86_400_000;
export const volumeCurrency = { symbol: "ETH", decimals: 18 };

export const timeOf = (fact: Fact | null) => (fact ? new Date(fact.atMs).toISOString() : null);

const nativeOf = (wei: bigint | null): number | null => (wei === null ? null : ether(wei));

/** The kind of event in each list of a page. */
const KINDS: Record<string, Fact["kind"]> = {
	candles: "sale",
	points: "sale",
	sale: "sale",
	mint: "mint",
	transfer: "transfer",
};

/** Returns a row of the list, and `market` of the page. */
export function collectionOf(view: View, nowMs: number): Record<string, Expected> {
	const figures = figuresOf(view, nowMs);
	const { floorNative, volume24hNative, sales24h, ownersCount, listedCount, totalSupply } =
		figures as Record<string, (typeof figures)[string] & {}>;
	if (
		!floorNative ||
		!volume24hNative ||
		!sales24h ||
		!ownersCount ||
		!listedCount ||
		!totalSupply
	) {
		throw new Error("a figure is missing");
	}
	const floor = numberOf(floorNative);
	const volume = numberOf(volume24hNative);
	const owners = numberOf(ownersCount);
	const counted = { sales24h, volume24hNative, ownersCount, totalSupply };
	return {
		slug: name,
		chain: view.chain,
		contractAddress: view.address,
		name,
		imageUrl: name,
		syncStatus: state,
		lastProviderAt: state,
		floorNative: floor,
		floor,
		floor_price: floor,
		floor_price_usd: floorDollarsOf(view, floorNative, nowMs),
		volume24hNative: volume,
		volume_24h: volume,
		volumeRaw: rawOf(volume24hNative),
		volumeCurrency,
		ownersCount: owners,
		owners,
		listedCount: numberOf(listedCount),
		totalSupply: numberOf(totalSupply),
		sales24h: numberOf(sales24h),
		lifecycle: (actual) => {
			const isKnown =
				view.known.length > 0 || ownersCount.value !== null || floorNative.value !== null;
			return isKnown && actual === null ? "nothing is known, although something is" : undefined;
		},
		revealState: state,
		revealCheckedAt: state,
		revealedAt: state,
		lastMintAt: timeOf(lastOf(view.known, "mint")),
		coverage: partialOf(counted),
		sync: { status: state, coverageEnd: (actual) => coverageEndProblem(view, actual) },
		health: { providerConnected: state },
		provider_stream: state,
	};
}

/** Returns the whole page of a collection. */
export function detailOf(view: View, nowMs: number, tally: Tally): Record<string, Expected> {
	const figures = figuresOf(view, nowMs);
	const { mints1h, mintedSupply, mintPriceNative } = figures;
	if (!mints1h || !mintedSupply || !mintPriceNative) throw new Error("a figure is missing");
	const sale = lastOf(view.known, "sale");
	return {
		market: collectionOf(view, nowMs),
		figures: Object.fromEntries(
			Object.entries(figures).map(([name, figure]) => [name, figureOf(figure, name, tally)]),
		),
		mint: {
			active: (actual) => {
				const isMinting = (mints1h.value ?? 0) > 0;
				return !actual || isMinting ? undefined : "active without a mint in the last hour";
			},
			priceNative: numberOf(mintPriceNative),
			mints1h: numberOf(mints1h),
			mintedSupply: numberOf(mintedSupply),
			coverage: partialOf({ mints1h, mintedSupply }),
		},
		lastSale: sale && {
			tokenId: (actual) => {
				// Among events of one second that only the provider told, none is known to be the last.
				const last = view.known.filter(({ kind, atMs, accepted, block }) => {
					return kind === "sale" && accepted && block === sale.block && atMs === sale.atMs;
				});
				const ids = (sale.block === null ? last : [sale]).map(({ tokenId }) => tokenId);
				return ids.includes(actual) ? undefined : `${actual}, and not ${ids}`;
			},
			occurredAt: timeOf(sale),
			priceNative: priceOf(sale),
			priceUsd: dollarsOf(sale),
			transactionHash: sale.transaction,
			imageUrl: name,
		},
		stats: (actual) => statsProblem(view, actual),
		observedAt: state,
	};
}

/**
 * Checks the floor in dollars at the present rate. Without a present rate it uses the rate of when
 * the floor was told, as known figures are not erased.
 */
export function floorDollarsOf(view: View, floor: Figure, nowMs: number): Check {
	const { rates } = view;
	const now = rates.dollarsAt(nowMs);
	const then = (floor.toldAt ?? []).flatMap((atMs) => rates.dollarsAt(atMs) ?? []);
	const allowed = now === null && then.length > 0 ? then : [now];
	return (actual) => {
		const all = [...new Set(allowed)].map((rate) => inDollars(floor.value, rate));
		const isOne = all.some((one) => (one === null ? actual === null : isNear(actual, one)));
		return isOne ? undefined : `${actual}, and not ${all}`;
	};
}

/** Returns the newest accepted event of a kind. */
export function lastOf(facts: readonly Fact[], kind: Fact["kind"]): Fact | null {
	return facts.filter((fact) => fact.kind === kind && fact.accepted).at(-1) ?? null;
}

export function priceOf(fact: Fact): number | null {
	const unit = unitWorthOf(fact);
	return unit === null ? null : ether(unit);
}

/** Returns the announced mints as the provider's own answer about each shows them. */
export function dropsOf(views: readonly View[], nowMs: number): Expected[] {
	return views.flatMap((view) => {
		const drop = newestOf(view.told.drops)?.answer;
		return drop ? [dropOf(view, drop, nowMs)] : [];
	});
}

/**
 * Checks a page's statement of the time that it shows: every accepted event between the ends it
 * names must have been told.
 */
export function pageCoverageOf(view: View): Check {
	const { known, truth, lanesFromMs } = view;
	const nameOf = ({ kind, transaction, tokenId }: Fact) => `${kind} ${transaction} ${tokenId}`;
	const isKnown = new Set(known.map(nameOf));
	return (actual) => {
		if (typeof actual !== "object" || actual === null) return "no coverage by list";
		for (const [name, { from, until }] of Object.entries<any>(actual)) {
			const kind = KINDS[name];
			if (!kind) return `names ${name}, which no page has`;
			if (from === null || until === null) continue;
			const left = truth.filter((fact) => {
				const isElsewhere = fact.block === null && fact.atMs >= (lanesFromMs ?? Infinity);
				if (fact.kind !== kind || !fact.accepted || isElsewhere) return false;
				const isInside = fact.atMs >= Date.parse(from) && fact.atMs <= Date.parse(until);
				return isInside && !isKnown.has(nameOf(fact));
			});
			if (left.length > 0) return `${left.length} of ${name} were never told`;
		}
		return undefined;
	};
}

/** Up to the stated time every event is stored, so the newest event before it must be. */
function coverageEndProblem(
	{ known, truth, lanesFromMs }: View,
	actual: string | null,
): string | undefined {
	if (actual === null) return undefined;
	// The day before the first sync is read, and an event that the lanes did not find is not on the
	// chain.
	const fromMs = Date.parse(actual) - DAY_MS;
	const newest = truth.findLast(({ atMs }) => atMs <= Date.parse(actual) && atMs >= fromMs);
	const isElsewhere = newest?.block === null && newest.atMs >= (lanesFromMs ?? Infinity);
	if (isElsewhere) return undefined;
	const isHeld = !newest || known.some(({ atMs }) => atMs === newest.atMs);
	return isHeld ? undefined : `${actual}, and what happened at ${newest?.atMs} was never told`;
}

/**
 * Checks that the stats are those of one answer, as a whole: a mixture of two answers was never
 * told.
 */
function statsProblem({ told }: View, actual: unknown): string | undefined {
	const answers = told.stats.length === 0 ? [null] : told.stats.map(({ answer }) => answer);
	const wrong = answers.map((answer) => differences(actual, { data: statsOf(answer) }));
	const [least = []] = wrong.sort((a, b) => a.length - b.length);
	return least.length === 0 ? undefined : least.join("; ");
}

/** Returns the provider's own figures, in which zero means not counted. */
function statsOf(answer: any): Expected {
	if (!answer) return { total: { floor_price: null, floor_price_symbol: null } };
	const {
		floor_price: floor,
		floor_price_symbol: symbol,
		num_owners: owners,
		...sums
	} = answer.total;
	return {
		total: {
			...sumOf(sums),
			floor_price: floor === 0 ? null : floor,
			floor_price_symbol:
				symbol === "" ? (actual) => (actual ? `${actual} of no floor` : undefined) : symbol,
			num_owners: owners === 0 ? null : owners,
		},
		intervals: answer.intervals.map(({ interval, ...rest }: any) => ({ interval, ...sumOf(rest) })),
	};
}

function sumOf({ volume, sales, volume_symbol }: any): Record<string, Expected> {
	const isUnknown = volume === 0 && sales > 0;
	return { volume: isUnknown ? null : volume, sales, volume_symbol };
}

function dropOf({ chain, address, rates }: View, drop: any, nowMs: number): Expected {
	const time = (text: string) => new Date(text).toISOString();
	const starts = drop.stages.map((one: any) => time(one.start_time)).sort();
	const ends = drop.stages.map((one: any) => time(one.end_time)).sort();
	return {
		slug: name,
		isIndexed: dropState,
		chain,
		contractAddress: address,
		name,
		imageUrl: name,
		type: drop.drop_type,
		state: drop.is_minting ? "minting" : dropState,
		stages: drop.stages.map((stage: any) => ({
			type: stage.stage_type,
			label: stage.label,
			priceNative: nativeOf(rates.weiOf(stage.price_currency_address, BigInt(stage.price), nowMs)),
			priceRaw: stage.price,
			currency: stage.price_currency_address,
			startsAt: time(stage.start_time),
			endsAt: time(stage.end_time),
			maxPerWallet: stage.max_per_wallet,
		})),
		maxSupply: Number(drop.max_supply),
		totalSupply: Number(drop.total_supply),
		startsAt: starts[0] ?? null,
		endsAt: ends.at(-1) ?? null,
		seenAt: dropState,
	};
}
