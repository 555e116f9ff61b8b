// Computes how much of a window or a page was read.

import type { Clock } from "#core/clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { LaneProgress, Scanner } from "#plugins/chain-scanner/contract.ts";
import {
	bucketOf,
	type Coverage,
	type FigureSource,
	type FigureWindow,
	type Span,
	WINDOW_MS,
} from "#plugins/market-index/rollup/windows.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/collection.ts";
import type { ShownCoverage } from "#plugins/market-index/schemas/figures.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEvents.ts";

/** The time for which a chain's lanes have everything; null where that is not known. */
export type ChainSpans = {
	sales: Span | null;
	mints: Span | null;
	/** The time up to which the owners of walked contracts are current. */
	movesUntilMs: number | null;
	/** True where blocks are missing whose moves would change them: then they are partial. */
	movesOwed?: boolean;
};

/** Holds what a figure is computed from, besides the collection's row. */
export type FigureContext = {
	nowMs: number;
	/** The window that the row's sales and volume were summed over. */
	window: FigureWindow;
	/** The time spans that the lanes of the row's chain cover. */
	spans: ChainSpans;
};

type CoveredBy = { source: FigureSource; span: Span | null };

/** Returns the time for which a chain's lanes have everything, for frames. */
export type SpansOf = (tx: Tx, chainId: number) => Promise<ChainSpans>;

/** The time that a page of a list is about; null where it goes back to the beginning. */
export type PageRange = { fromMs: number | null; untilMs: number };

/** The spans of a chain that no lane follows. */
export const NO_SPANS: ChainSpans = { sales: null, mints: null, movesUntilMs: null };

/**
 * A window that ended this short a time ago is whole: clients show an answer of that age as fresh.
 */
const FRESH_MS = 60_000;

/** Limits how long spans are kept: much shorter than clients take an answer for fresh. */
const SPANS_AGE_MAX_MS = 10_000;

const NOTHING = { fromMs: null, untilMs: null, fraction: 0 };

/** Reads the same for several chains, by id. */
export async function readSpansOf(
	scanner: Pick<Scanner, "progress">,
	chains: readonly { id: number }[],
): Promise<ReadonlyMap<number, ChainSpans>> {
	return new Map(
		await Promise.all(
			chains.map(async ({ id }) => [id, await readChainSpans(scanner, id)] as const),
		),
	);
}

/**
 * Makes a memory that keeps for ten seconds what a chain's lanes cover, for frames that are made
 * inside a lane's transaction. It reads on that transaction's connection: while lanes hold every
 * connection, waiting for another one would be a deadlock.
 */
export function createSpanMemory(scanner: Pick<Scanner, "progress">, clock: Clock): SpansOf {
	const kept = new Map<number, { readAtMs: number; spans: ChainSpans }>();
	return async (tx, chainId) => {
		const nowMs = clock.nowMs();
		const known = kept.get(chainId);
		if (known && Math.abs(nowMs - known.readAtMs) < SPANS_AGE_MAX_MS) return known.spans;
		const spans = await readChainSpans(scanner, chainId, tx);
		kept.set(chainId, { readAtMs: nowMs, spans });
		return spans;
	};
}

/**
 * Reads the time for which a chain's lanes have everything. Must be called before the figures are
 * read, so that they never claim more than they contain.
 */
export async function readChainSpans(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
	tx?: Tx,
): Promise<ChainSpans> {
	const [sale, mint, transfer] = await Promise.all([
		scanner.progress(chainId, "sale", tx),
		scanner.progress(chainId, "mint", tx),
		scanner.progress(chainId, "transfer", tx),
	]);
	return {
		sales: laneSpan(sale),
		mints: laneSpan(mint),
		movesUntilMs: transfer.coveredUntilMs ?? transfer.indexedAtMs,
		movesOwed: transfer.owes === true,
	};
}

/**
 * Returns which lists of a page were covered in part, by name, and how much of the page's time was.
 * A list that is not named is whole: the page has all events from its last row (or the beginning,
 * where no page follows) up to the row before its first one (or now, on the first page).
 *
 * The end is in whole minutes, so that an otherwise equal answer stays the same.
 */
export function pageCoverage(
	{ fromMs, untilMs }: PageRange,
	lists: Readonly<Record<string, readonly CoveredBy[]>>,
): ShownPartial {
	const partial: ShownPartial = {};
	for (const [name, sources] of Object.entries(lists)) {
		const held = coverageOf({ startMs: fromMs ?? 0, nowMs: untilMs }, sources);
		if (held?.coverage.fraction === 1) continue;
		const { coverage } = held ?? { coverage: NOTHING };
		const endMs = coverage.untilMs;
		partial[name] = renderCoverage({
			fromMs: coverage.fromMs,
			untilMs: endMs === null ? null : Math.max(endMs - (endMs % MINUTE_MS), coverage.fromMs ?? 0),
			// How long ago a collection began is not known.
			fraction: fromMs === null && held ? null : coverage.fraction,
		});
	}
	return partial;
}

/** Renders a coverage for clients. */
export function renderCoverage({ fromMs, untilMs, fraction }: Coverage): ShownCoverage {
	return { from: timeOf(fromMs), until: timeOf(untilMs), fraction };
}

/**
 * Returns how much of the window that ends now is covered for a collection's events: by the chain's
 * lanes, which see every contract, and by the part of the provider's list that was read. Null where
 * nothing is.
 */
export function windowCoverage(
	row: ProviderEvents,
	{ nowMs, spans }: Pick<FigureContext, "nowMs" | "spans">,
	{ kind, window }: { kind: "sales" | "mints"; window: FigureWindow | "48h" },
) {
	const lengthMs = window === "48h" ? 2 * WINDOW_MS["24h"] : WINDOW_MS[window];
	const range = { startMs: bucketOf(nowMs - lengthMs, MINUTE_MS), nowMs };
	// Mostly the lanes cover all of it, and no other source is needed.
	const chain = coverageOf(range, [{ source: "chain", span: spans[kind] }]);
	if (chain?.coverage.fraction === 1) return { ...chain, isChainWhole: true };
	const covered = coverageOf(range, heldBy(row, spans, kind));
	return {
		source: covered?.source ?? null,
		coverage: covered?.coverage ?? null,
		isChainWhole: false,
	};
}

/**
 * Returns how much of a window its sources cover together, and which of them covers most of it;
 * null where none covers any of it. What a source covers before the window does not count.
 *
 * Spans that touch are one. Of several stretches the longest is stated, of equal ones the newest;
 * if two sources cover as much, the first one is named.
 */
export function coverageOf(
	window: { startMs: number; nowMs: number },
	sources: readonly CoveredBy[],
): { source: FigureSource; coverage: Coverage } | null {
	const { startMs, nowMs } = window;
	const parts = sources.flatMap(({ source, span }) => {
		if (!span) return [];
		const fromMs = Math.max(span.fromMs, startMs);
		const untilMs = Math.min(span.untilMs, nowMs);
		return untilMs > fromMs ? [{ source, fromMs, untilMs }] : [];
	});
	const [only, ...others] = parts;
	if (!only) return null;
	if (others.length === 0) return { source: only.source, coverage: shareOf(only, window) };
	const [first] = [...parts].sort((a, b) => lengthOf(b) - lengthOf(a));
	const [longest] = stretchesOf(parts).sort((a, b) => lengthOf(b) - lengthOf(a));
	return first && longest ? { source: first.source, coverage: shareOf(longest, window) } : null;
}

/** Rounds down to four digits, and below 1: a partial coverage never looks complete. */
export function roundedDown(share: number): number {
	return Math.min(Math.floor(share * 10_000) / 10_000, 0.9999);
}

/**
 * Returns which sources have a collection's events of a kind, and for what time. Only the provider
 * reports transfers.
 */
export function heldBy(
	row: ProviderEvents,
	spans: ChainSpans,
	kind: "sales" | "mints" | "transfers",
): CoveredBy[] {
	return [
		{ source: "chain", span: kind === "transfers" ? null : spans[kind] },
		{ source: "provider", span: spanBetween(row.eventsFrom, row.eventsUntil) },
		{ source: "provider", span: spanBetween(row.walkFrom, row.walkUntil) },
	];
}

/**
 * Returns the coverage of what a finished walk counted: all of it, unless the transfer lane owes
 * blocks. How much those would change is not known.
 */
export function walkCoverage({ movesUntilMs, movesOwed = false }: ChainSpans): Coverage {
	return { fromMs: null, untilMs: movesUntilMs, fraction: movesOwed ? null : 1 };
}

function laneSpan({ coveredFromMs, coveredUntilMs }: LaneProgress): Span | null {
	if (typeof coveredFromMs !== "number" || typeof coveredUntilMs !== "number") return null;
	return { fromMs: coveredFromMs, untilMs: coveredUntilMs };
}

function timeOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}

function shareOf(
	{ fromMs, untilMs }: Span,
	{ startMs, nowMs }: { startMs: number; nowMs: number },
): Coverage {
	// A window begins up to a minute before its nominal start.
	const isWhole = fromMs <= startMs + MINUTE_MS && untilMs >= nowMs - FRESH_MS;
	const fraction = isWhole ? 1 : roundedDown((untilMs - fromMs) / (nowMs - startMs));
	return { fromMs, untilMs, fraction };
}

function lengthOf({ fromMs, untilMs }: Span): number {
	return untilMs - fromMs;
}

/** Returns joined stretches, the newest first. */
function stretchesOf(parts: readonly Span[]): Span[] {
	const stretches: Span[] = [];
	for (const { fromMs, untilMs } of [...parts].sort((a, b) => b.untilMs - a.untilMs)) {
		const above = stretches.at(-1);
		if (above && untilMs >= above.fromMs) above.fromMs = Math.min(above.fromMs, fromMs);
		else stretches.push({ fromMs, untilMs });
	}
	return stretches;
}

function spanBetween(from: Date | null, until: Date | null): Span | null {
	return from && until && { fromMs: from.getTime(), untilMs: until.getTime() };
}
