// Reads events across all collections of some chains, newest first.

import type { Chain } from "#core/chain/Chain.ts";
import { CURSOR_PART, type Cursor, createCursor } from "#core/http/pages.ts";
import { foreignCurrencies, type StoredEvent } from "#plugins/market-index/event/MarketEvent.ts";
import { heldBy, pageCoverage, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import { renderEvent, renderTraits } from "#plugins/market-index/render/event.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/collection.ts";
import type { MarketActivityRow } from "#plugins/market-index/schemas/lists.ts";
import {
	type ChainEventRow,
	type ChainEvents,
	type ChainPlace,
	readChainEvents,
} from "#plugins/market-index/sql/chainEvents.ts";
import { readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import { NO_PROVIDER_EVENTS } from "#plugins/market-index/sql/readEvents.ts";

type MarketActivityQuery = {
	chains: readonly Chain[];
	kinds: readonly StoredEvent["kind"][];
	since: Date | null;
	until: Date | null;
	/** What the cursor is bound to besides the chains. */
	scope: Readonly<Record<string, string | number | undefined>>;
	cursor: string | undefined;
	limit: number;
};

type MarketActivity = {
	data: MarketActivityRow[];
	coverage: ShownPartial;
	page: { nextCursor: string | null; hasMore: boolean };
	scannedTo: string | null;
};

/** How far a walk over one chain came: a place, or nothing before its first page, or its end. */
type Progress = ChainPlace | "begin" | "end";

/** What was read of one chain for a page. */
type Reading = ChainEvents & { chain: Chain; from: Progress };

type Merged = { taken: { chain: Chain; row: ChainEventRow }[]; horizonMs: number | null };

/** Events that a page looks at: of one chain, and of each of several. */
const STEPS_OF_ONE = [1_000, 4_000, 15_000] as const;
const STEPS_OF_EACH = [1_000, 4_000] as const;

const cursors = createCursor("market1", [CURSOR_PART.longText]);
const PLACE = /^(\d{1,15}):(?:(end)|(-?\d{1,15}):(\d{1,10}):(\d{1,10}))$/;
const INT4_MAX = 2_147_483_647;

/**
 * Returns a page of events across all collections of these chains. Each chain is walked in its own
 * order, and the walks are merged by time; a page ends where one of them stopped because it had
 * looked at enough, as nobody knows what comes next there.
 */
export async function readMarketActivity(
	{ core, scanner, prices }: Pick<RouteContext, "core" | "scanner" | "prices">,
	query: MarketActivityQuery,
): Promise<MarketActivity> {
	const { chains, kinds, since, until, cursor, limit } = query;
	const nowMs = core.clock.nowMs();
	const bound = cursors.of({ ...query.scope, chains: chains.map(({ id }) => id).join() });
	const places = cursor === undefined ? new Map<number, Progress>() : placesOf(bound, cursor);
	// Read before the rows, so that it never claims more than they contain.
	const spansOf = await readSpansOf(scanner, chains);
	const steps = chains.length === 1 ? STEPS_OF_ONE : STEPS_OF_EACH;
	const readings = await Promise.all(
		chains.map(async (chain): Promise<Reading> => {
			const from = places.get(chain.id) ?? "begin";
			if (from === "end") return { chain, from, rows: [], reached: null };
			const after = from === "begin" ? null : from;
			const asked = { chainId: chain.id, kinds, since, until, after, steps, limit: limit + 1 };
			return { chain, from, ...(await readChainEvents(core.db, asked)) };
		}),
	);
	const { taken, horizonMs } = merge(readings, limit);
	const next = readings.map((reading) => ({ reading, place: progressOf(reading, taken) }));
	const hasMore = next.some(({ place }) => place !== "end");
	const last = taken.at(-1)?.row.event.occurredAtMs ?? null;
	const range = {
		fromMs: hasMore ? (horizonMs ?? last) : (since?.getTime() ?? null),
		untilMs: Math.min(until?.getTime() ?? nowMs, nowMs),
	};
	const coverage: ShownPartial = {};
	for (const { id, slug } of chains) {
		const spans = spansOf.get(id);
		if (!spans) continue;
		const lists = kinds.map((kind) => {
			return [`${slug}/${kind}`, heldBy(NO_PROVIDER_EVENTS, spans, `${kind}s`)] as const;
		});
		Object.assign(coverage, pageCoverage(range, Object.fromEntries(lists)));
	}
	return {
		data: await render({ core, prices }, taken),
		coverage,
		page: { nextCursor: hasMore ? bound.encode([textOf(next)]) : null, hasMore },
		scannedTo: horizonMs === null ? null : new Date(horizonMs).toISOString(),
	};
}

/**
 * Merges the chains' rows by time, each chain's in its own order, as far as nothing is passed over:
 * not beyond the newest place at which a scan stopped.
 */
function merge(readings: readonly Reading[], limit: number): Merged {
	const stops = readings.flatMap(({ reached, rows }) => {
		return reached && rows.length <= limit ? [reached.occurredAtMs] : [];
	});
	const stopMs = stops.length === 0 ? null : Math.max(...stops);
	const taken: Merged["taken"] = [];
	const at = new Map<Reading, number>();
	const headOf = (reading: Reading) => reading.rows[at.get(reading) ?? 0];
	while (taken.length < limit) {
		const heads = readings.flatMap((reading) => {
			const row = headOf(reading);
			return row ? [{ reading, row, isStopped: reading.reached?.occurredAtMs === stopMs }] : [];
		});
		const open = heads.filter(({ row, isStopped }) => {
			return isStopped || stopMs === null || row.event.occurredAtMs >= stopMs;
		});
		const [first, ...others] = open;
		if (!first) break;
		const best = others.reduce((one, other) => {
			return other.row.event.occurredAtMs > one.row.event.occurredAtMs ? other : one;
		}, first);
		taken.push({ chain: best.reading.chain, row: best.row });
		at.set(best.reading, (at.get(best.reading) ?? 0) + 1);
	}
	const isCut = taken.length >= limit;
	return { taken, horizonMs: isCut ? null : stopMs };
}

/** Returns where a chain's walk goes on: after its last row of the page, or where it stopped. */
function progressOf({ chain, from, rows, reached }: Reading, taken: Merged["taken"]): Progress {
	const own = taken.filter((one) => one.chain.id === chain.id);
	const last = own.at(-1);
	if (own.length === rows.length) {
		if (reached) return placeOf(reached);
		return "end";
	}
	return last ? placeOf(last.row.event) : from;
}

async function render(
	{ core, prices }: Pick<RouteContext, "core" | "prices">,
	taken: Merged["taken"],
): Promise<MarketActivityRow[]> {
	const byChain = Map.groupBy(taken, ({ chain }) => chain);
	const known = await Promise.all(
		[...byChain].map(async ([chain, own]) => {
			const addresses = foreignCurrencies(own.map(({ row }) => row.event));
			return [chain, await readCurrencies(core.db, chain.id, addresses)] as const;
		}),
	);
	const currenciesOf = new Map(known);
	return taken.map(({ chain, row: { event, collection, token } }) => {
		const currencies = currenciesOf.get(chain) ?? new Map();
		const shown = renderEvent(chain, event, { currencies, prices });
		return {
			...shown,
			imageUrl: shown.imageUrl ?? token.imageUrl,
			traits: shown.traits ?? renderTraits(token.traits),
			collection,
		};
	});
}

function placeOf({ blockNumber, logIndex, subIndex }: ChainPlace): ChainPlace {
	return { blockNumber, logIndex, subIndex };
}

/** Writes the places of all chains as one part of a cursor. */
function textOf(next: readonly { reading: Reading; place: Progress }[]): string {
	const texts = next.flatMap(({ reading, place }) => {
		if (place === "begin") return [];
		if (place === "end") return [`${reading.chain.id}:end`];
		return [`${reading.chain.id}:${place.blockNumber}:${place.logIndex}:${place.subIndex}`];
	});
	return Buffer.from(texts.join()).toString("hex");
}

/** Reads the places of a cursor; what is no place is left out, as nobody but we writes them. */
function placesOf(bound: Cursor, cursor: string): Map<number, Progress> {
	const [hex = ""] = bound.decode(cursor);
	const places = new Map<number, Progress>();
	for (const text of Buffer.from(hex, "hex").toString("latin1").split(",")) {
		const [, id, end, block, log, sub] = PLACE.exec(text) ?? [];
		if (id === undefined) continue;
		if (end !== undefined) places.set(Number(id), "end");
		else {
			places.set(Number(id), {
				blockNumber: Number(block),
				logIndex: Math.min(Number(log), INT4_MAX),
				subIndex: Math.min(Number(sub), INT4_MAX),
			});
		}
	}
	return places;
}
