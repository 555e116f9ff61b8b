// Compares every route about one collection with what is known of it.

import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences, type Expected, notAFigure } from "#test/e2e/oracle/differences.ts";
import { depthOf, ordersOf, PAGE_END, quoteOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { detailOf, pageCoverageOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import type { Tally } from "#test/e2e/oracle/expected/figuresOf.ts";
import { candlesOf, INTERVALS, pointOf, tilesOf } from "#test/e2e/oracle/expected/rowsOf.ts";
import { assetOf, eventOf, ranksOf, traitsOf } from "#test/e2e/oracle/expected/tokens.ts";
import { inRange, RANGES } from "#test/e2e/oracle/expected/worthOf.ts";
import type { View } from "#test/e2e/oracle/model.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

export type Asking = { ask: Ask; tally: Tally; turn: number; isWhole: boolean };

/** Returns what an answer must be, at one moment. */
export type Expect = (views: readonly View[], nowMs: number, body: any) => Expected;

/**
 * A path, or a function that makes another one for each try, for answers that are cached by path.
 */
export type AskedPath = string | (() => string);

export type Ask = (path: AskedPath, expect: Expect, init?: { post: unknown }) => Promise<any>;

type Named = {
	transactionHash: string | null;
	tokenId: string;
	occurredAt: string;
	eventType?: string;
};

const ALL = 200;
const UNITS = 3;
/** Of a collection's tokens, every so many-th is asked for. */
const ASSETS_STEP = 7;
const INTERVAL_NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[];
const RANGE_NAMES = Object.keys(RANGES) as (keyof typeof RANGES)[];
const TYPES = [null, "sale", "mint", "transfer"];
const page = notAFigure("where the next page begins");

const MINUTE_MS = 60_000;
/** A slow machine fills a page in several tries: each reads as much as its seconds allow. */
const TRIES = 16;
/** For so long a search's hits come from a cache. */
const HITS_KEPT_MS = 1_000;

const minuteOf = (atMs: number) => Math.floor(atMs / MINUTE_MS);

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
				...{ orders: null, scannedTo: null },
			};
		});
	}
	for (const range of some(RANGE_NAMES, 5)) {
		await ask(`${path}/sales?${chain}&range=${range}&limit=${ALL}`, (views, nowMs, body) => {
			const sales = inRange(of(views).known, range, nowMs).toReversed();
			const ranks = ranksOf(of(views), nowMs);
			const points = alike(sales, body.points)
				.slice(0, ALL)
				.map((sale) => pointOf(view, sale, ranks?.get(sale.tokenId) ?? null));
			const coverage = pageCoverageOf(of(views));
			const tiles = tilesOf(of(views), nowMs, tally);
			return { points, tiles, coverage, page, ...{ scannedTo: null, drawn: null } };
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
 * Makes a function that asks a route and compares its answer with what was known at that time. If
 * the provider was asked meanwhile, it asks again until nothing new became known. Windows begin at
 * whole minutes: if a minute ended meanwhile, each part of the answer may be of either.
 */
export function createAsk(oracle: OracleLab, problems: string[]): Ask {
	const { lab } = oracle;
	let views: View[] = [];
	let madeOf = -1;
	return async (asked, expect, init) => {
		for (let turn = 0; turn < TRIES; turn++) {
			const answered = await answers(lab);
			if (madeOf !== answered) {
				views = await createViews(oracle);
				madeOf = answered;
			}
			const fromMs = lab.nowMs() - HITS_KEPT_MS;
			const path = typeof asked === "string" ? asked : asked();
			const body = await read(lab, path, init);
			const nowMs = lab.nowMs();
			if ((await answers(lab)) !== answered) continue;
			if (minuteOf(fromMs) !== minuteOf(nowMs)) {
				lab.advance(HITS_KEPT_MS);
				continue;
			}
			const name = named(init ? JSON.stringify(init.post) : path, views);
			const wrong = differences(body, expect(views, nowMs, body));
			problems.push(...wrong.map((one) => `${name} ${one}`));
			return body;
		}
		throw new Error(`${asked} was answered ${TRIES} times, and each time more became known`);
	};
}

/** Returns events of one second in the order of the answer, which has no meaning. */
function alike<One extends View["known"][number]>(
	facts: readonly One[],
	told: readonly Named[],
): One[] {
	const place = new Map(told.map((row, at) => [`${row.transactionHash} ${row.tokenId}`, at]));
	const placeOf = (fact: One) => place.get(`${fact.transaction} ${fact.tokenId}`) ?? 0;
	return facts.toSorted((a, b) => b.atMs - a.atMs || placeOf(a) - placeOf(b));
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

/**
 * Returns how many calls the provider answered, once none is under way; a refusal tells nothing.
 */
async function answers(lab: ConformanceLab): Promise<number> {
	const { calls } = lab.provider;
	await lab.idle();
	await until(
		() => calls.every(({ status }) => status !== 0),
		() => "each call of the provider is answered",
	);
	return calls.filter(({ status }) => status === 200).length;
}

async function read(lab: ConformanceLab, path: string, init?: { post: unknown }): Promise<any> {
	if (!init) return lab.read(path);
	const response = await lab.raw(path, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(init.post),
	});
	if (response.status !== 200)
		throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response.json();
}

/** Returns the path with the slug before the address, for failure messages. */
function named(path: string, views: readonly View[]): string {
	const own = views.find(({ address }) => path.includes(address));
	return own ? `${own.slug ?? "a contract of the chain"} ${path}` : path;
}
