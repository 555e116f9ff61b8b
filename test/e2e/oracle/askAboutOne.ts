import type { Ask } from "#test/e2e/oracle/createAsk.ts";
import { assetOf } from "#test/e2e/oracle/expected/assetOf.ts";
import { depthOf, ordersOf, PAGE_END } from "#test/e2e/oracle/expected/bookAnswers.ts";
import { candlesOf, INTERVALS } from "#test/e2e/oracle/expected/candlesOf.ts";
import type { Tally } from "#test/e2e/oracle/expected/checkFigure.ts";
import { detailOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { eventOf } from "#test/e2e/oracle/expected/eventOf.ts";
import { pageCoverageOf } from "#test/e2e/oracle/expected/pageCoverageOf.ts";
import { quoteOf } from "#test/e2e/oracle/expected/quoteOf.ts";
import { ranksOf } from "#test/e2e/oracle/expected/ranksOf.ts";
import { pointOf, tilesOf } from "#test/e2e/oracle/expected/salesOf.ts";
import { traitsOf } from "#test/e2e/oracle/expected/traitsOf.ts";
import { inRange, RANGES } from "#test/e2e/oracle/expected/windowFigures.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

const ALL = 200;
const UNITS = 3;
/** Of a collection's tokens, every so many-th is asked for. */
const ASSETS_STEP = 7;
const INTERVAL_NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[];
const RANGE_NAMES = Object.keys(RANGES) as (keyof typeof RANGES)[];
const TYPES = [null, "sale", "mint", "transfer"];
const page = notAFigure("where the next page begins");

export type Asking = { ask: Ask; tally: Tally; turn: number; isWhole: boolean };

/**
 * Asks every route about one collection. Each turn takes another variant (interval, range, kind),
 * unless all are wanted.
 */
export async function askAboutOne(asking: Asking, view: View): Promise<void> {
	const { ask, tally, turn, isWhole } = asking;
	const some = <One>(all: readonly One[], step: number): readonly One[] => {
		if (isWhole) return all;
		return all.filter((_, at) => (at - turn) % step === 0);
	};
	const path = `/collections/${view.address}`;
	const chain = `chain=${view.chain}`;
	const of = (views: readonly View[]) => {
		const mine = views.find(
			({ address, chain }) => address === view.address && chain === view.chain,
		);
		if (!mine) throw new Error(`nobody knows ${view.address}`);
		return mine;
	};
	await ask(`${path}?${chain}`, (views, nowMs) => detailOf(of(views), nowMs, tally));
	for (const interval of some(INTERVAL_NAMES, 3)) {
		await ask(`${path}/candles?${chain}&interval=${interval}&limit=500`, (views) => ({
			candles: candlesOf(of(views).known, interval),
			coverage: pageCoverageOf(of(views)),
			page,
		}));
	}
	for (const type of some(TYPES, 4)) {
		const kind = type === null ? "" : `&type=${type}`;
		await ask(`${path}/activity?${chain}&limit=${ALL}${kind}`, (views, _, body) => {
			const facts = of(views).known.filter((fact) => type === null || fact.kind === type);
			const newest = alike(facts.toReversed(), body.data);
			return {
				data: newest.slice(0, ALL).map((fact) => eventOf(fact, view.chain)),
				coverage: pageCoverageOf(of(views)),
				page,
			};
		});
	}
	for (const range of some(RANGE_NAMES, 5)) {
		await ask(`${path}/sales?${chain}&range=${range}&limit=${ALL}`, (views, nowMs, body) => {
			const sales = inRange(of(views).known, range, nowMs).toReversed();
			const ranks = ranksOf(of(views), nowMs);
			const points = alike(sales, body.points)
				.slice(0, ALL)
				.map((sale) => pointOf(sale, ranks?.get(sale.tokenId) ?? null));
			const coverage = pageCoverageOf(of(views));
			return { points, tiles: tilesOf(of(views), nowMs, tally), coverage, page };
		});
	}
	await ask(`${path}/traits?${chain}&limit=${ALL}`, (views) => ({
		data: traitsOf(of(views)),
		page: PAGE_END,
	}));
	for (const tokenId of some(tokensOf(view), ASSETS_STEP)) {
		await ask(`/assets/${view.chain}/${view.address}/${tokenId}`, (views, nowMs) => {
			return assetOf(of(views), tokenId, nowMs);
		});
	}
	for (const side of ["listings", "offers"] as const) {
		await ask(`${path}/${side}?${chain}&limit=${ALL}`, (views, nowMs, body) => {
			return ordersOf(of(views), side, { nowMs, body });
		});
	}
	await ask(`${path}/depth?${chain}`, (views, _, body) => depthOf(of(views), body));
	await ask(`${path}/holders?${chain}&limit=${ALL}`, (views) => ({
		data: holdersOf(of(views)),
		page: PAGE_END,
	}));
	const post = { chain: view.chain, slug: view.address, quantity: UNITS };
	await ask("/quote-estimate", (views, nowMs, body) => quoteOf(of(views), UNITS, { nowMs, body }), {
		post,
	});
}

/**
 * Returns every token that was told or minted: one that was only sold is found with the next mint.
 */
function tokensOf({ told, known, address }: View): string[] {
	const own = [...told.tokens.values()].filter(({ contract }) => contract === address);
	const minted = known.flatMap(({ kind, tokenId }) => (kind === "mint" ? [tokenId] : []));
	return [...new Set([...own.map(({ identifier }) => identifier), ...minted])];
}

/** Returns the holders, the largest first; equal ones are in the service's own order. */
function holdersOf({ owners }: View) {
	if (!owners) return null;
	const sorted = [...owners.units].sort(([a, x], [b, y]) =>
		x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1,
	);
	return sorted.map(([address, units]) => ({ address, units: units.toString() }));
}

type Named = {
	transactionHash: string | null;
	tokenId: string;
	occurredAt: string;
	eventType?: string;
};

/** Returns events of one second in the order of the answer, which has no meaning. */
function alike<One extends View["known"][number]>(
	facts: readonly One[],
	told: readonly Named[],
): One[] {
	const place = new Map(told.map((row, at) => [`${row.transactionHash} ${row.tokenId}`, at]));
	const placeOf = (fact: One) => place.get(`${fact.transaction} ${fact.tokenId}`) ?? 0;
	return facts.toSorted((a, b) => b.atMs - a.atMs || placeOf(a) - placeOf(b));
}
