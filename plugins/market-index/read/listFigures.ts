// Reads what rows of lists show beside their own figures: changes in windows, and listed share.

import type { Queryable } from "#core/db/Database.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import {
	type ChainSpans,
	coverageOf,
	heldBy,
	NO_SPANS,
} from "#plugins/market-index/figures/coverage.ts";
import { listedFigure, shareFigure, supplyFigure } from "#plugins/market-index/figures/figures.ts";
import { floorChangePercent, readFloorsAt } from "#plugins/market-index/floor.ts";
import { bucketOf } from "#plugins/market-index/rollup/windows.ts";
import type { ListFigures, ShownChanges } from "#plugins/market-index/schemas/lists.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import {
	CHANGE_WINDOWS,
	type ChangeWindow,
	readWindowPairs,
	type WindowPair,
	windowStartMs,
} from "#plugins/market-index/sql/windowChanges.ts";

/** The columns of a collection's row that these figures are made from, besides those of lists. */
export const LIST_FIGURE_COLUMNS = [
	"id",
	"listedCount",
	"listedAt",
	"totalSupply",
	"supplySource",
	"supplyAt",
] as const satisfies readonly (keyof CollectionRow)[];

type ListedRow = Pick<
	CollectionRow,
	| (typeof LIST_FIGURE_COLUMNS)[number]
	| "chainId"
	| "floorNative"
	| "floorAt"
	| "eventsFrom"
	| "eventsUntil"
	| "walkFrom"
	| "walkUntil"
>;

type Given = { nowMs: number; spansOf: ReadonlyMap<number, ChainSpans> };

/** What a collection sold in each window and before it, and its floor when each window began. */
type Past = {
	readAtMs: number;
	pairs: Readonly<Record<ChangeWindow, WindowPair>>;
	floors: ReadonlyMap<ChangeWindow, string>;
};

/** A floor of longer ago is none of now. */
export const FLOOR_FRESH_MS = 2 * HOUR_MS;

/** Limits how old what is compared with may be, and of how many collections it is kept. */
const PAST_AGE_MAX_MS = 10_000;
const PASTS_MAX = 5_000;

/** Holds what was read last, by database: all lists show the same collections again and again. */
const memories = new WeakMap<Queryable, Map<number, Past>>();

/**
 * Returns the figures of each row: the change of its floor and of its volume in each window, its
 * supply, and the share of it that is for sale. Volumes are up to ten seconds old.
 */
export async function readListFigures(
	db: Queryable,
	rows: readonly ListedRow[],
	given: Given,
): Promise<ReadonlyMap<number, ListFigures>> {
	const { nowMs } = given;
	const pasts = await readPasts(db, new Set(rows.map(({ id }) => id)), nowMs);
	return new Map(
		rows.map((row) => {
			const spans = given.spansOf.get(row.chainId) ?? NO_SPANS;
			const past = pasts.get(row.id);
			const floor = freshFloor(row, nowMs);
			const change = (window: ChangeWindow) => ({
				floorPercent: floorChangePercent(floor, past?.floors.get(window) ?? null),
				volumePercent: isWhole(row, window, { nowMs, spans })
					? volumeChangePercent(past?.pairs[window])
					: null,
			});
			const changes: ShownChanges = {
				"5m": change("5m"),
				"1h": change("1h"),
				"6h": change("6h"),
				"24h": change("24h"),
				"7d": change("7d"),
			};
			const supply = supplyFigure(row, { spans });
			const listedPercent = shareFigure(listedFigure(row), supply).value;
			return [row.id, { changes, supply: supply.value, listedPercent }];
		}),
	);
}

/** Returns what these collections are compared with; two statements for those not kept. */
async function readPasts(
	db: Queryable,
	ids: ReadonlySet<number>,
	nowMs: number,
): Promise<ReadonlyMap<number, Past>> {
	const kept = memories.get(db) ?? new Map<number, Past>();
	memories.set(db, kept);
	const minuteMs = bucketOf(nowMs, MINUTE_MS);
	const isFresh = ({ readAtMs }: Past) =>
		Math.abs(nowMs - readAtMs) < PAST_AGE_MAX_MS && bucketOf(readAtMs, MINUTE_MS) === minuteMs;
	const found = new Map<number, Past>();
	for (const id of ids) {
		const past = kept.get(id);
		if (past && isFresh(past)) found.set(id, past);
	}
	const collectionIds = [...ids].filter((id) => !found.has(id));
	if (collectionIds.length === 0) return found;
	const times = CHANGE_WINDOWS.map((window) => new Date(windowStartMs(nowMs, window, 1)));
	const [pairs, before] = await Promise.all([
		readWindowPairs(db, collectionIds, nowMs),
		readFloorsAt(db, { collectionIds, times }),
	]);
	const floors = Map.groupBy(before, ({ id }) => id);
	if (kept.size + collectionIds.length > PASTS_MAX) kept.clear();
	for (const [id, sold] of pairs) {
		const seen = (floors.get(id) ?? []).flatMap(({ time, native }) => {
			const window = CHANGE_WINDOWS.find((name) => +time === windowStartMs(nowMs, name, 1));
			return window === undefined ? [] : [[window, native] as const];
		});
		const past = { readAtMs: nowMs, pairs: sold, floors: new Map(seen) };
		found.set(id, past);
		kept.set(id, past);
	}
	return found;
}

/** Returns the present floor; null where it was not told for two hours. */
export function freshFloor(
	{ floorNative, floorAt }: Pick<CollectionRow, "floorNative" | "floorAt">,
	nowMs: number,
): string | null {
	return floorAt !== null && nowMs - floorAt.getTime() < FLOOR_FRESH_MS ? floorNative : null;
}

/** Returns whether nothing is missing of a window, and of as long before it. */
function isWhole(
	row: ListedRow,
	window: ChangeWindow,
	{ nowMs, spans }: { nowMs: number; spans: ChainSpans },
): boolean {
	const range = { startMs: windowStartMs(nowMs, window, 2), nowMs };
	return coverageOf(range, heldBy(row, spans, "sales"))?.coverage.fraction === 1;
}

/**
 * Returns the change of a window's volume against the time before it, in percent; null where that
 * sold nothing, and where a sale of either has no price.
 */
function volumeChangePercent(pair: WindowPair | undefined): number | null {
	if (pair === undefined || pair.unpriced > 0 || pair.before <= 0n) return null;
	return (Number(pair.volume - pair.before) / Number(pair.before)) * 100;
}
