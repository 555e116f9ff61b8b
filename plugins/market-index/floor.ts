// Decides a collection's floor, keeps its snapshots, and holds prices against it.

import type { Chain } from "#core/chain/Chain.ts";
import { bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Outbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { displayFloor } from "#plugins/market-index/display.ts";
import { collectionTopic } from "#plugins/market-index/model.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import { nativeTotal } from "#plugins/market-index/rollup/windows.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/**
 * Holds what was read of a collection's floor. `ask`: a listing at that price. `none`: no listing.
 * `unknown`: nothing was learned, and the known floor stays.
 */
export type FloorReading =
	| {
			kind: "ask";
			/** The price of one unit, in wei of ETH. */
			native: bigint;
			/** As asked for, in display units of `symbol`. */
			price: number;
			symbol: string;
	  }
	| { kind: "none" }
	| { kind: "unknown" };

/** The data of a `floor_update` frame. Unknown is null, never 0. */
export type FloorUpdate = {
	/** An ETH equivalent. */
	floorNative: number | null;
	floorUsd: number | null;
	/** As asked for, in `floorSymbol`. */
	floorPrice: number | null;
	floorSymbol: string | null;
	observedAt: string;
};

type FloorSources = {
	/** The provider's own figure, over all markets it knows; null where it has none. */
	stats: ProviderFigure;
	/** The value of `stats` in wei of ETH; null where no rate is known. */
	statsNative: bigint | null;
	/** The best ask that can be bought here. */
	best: { unitNative: string; price: number; symbol: string } | null;
	/** True: every listing was read, and there is none. Only that means that nothing is for sale. */
	isEmptyBook: boolean;
};

/** A floor as it was seen at a time; `usd` is of that time. */
export type KeptFloor = { native: string; usd: number | null; at: Date };

/** Holds the floors of a period that were stored, in wei of ETH. */
export type FloorRange = Record<"lowest" | "highest" | "first" | "last", string> &
	Record<"firstAt" | "lastAt", Date>;

type Stored = {
	native: string | null;
	usd: number | null;
	price: number | null;
	symbol: string | null;
	at: Date | null;
};

type Rates = { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number };

/** A changed floor is kept at most this often, an unchanged one at least this often. */
const SNAPSHOT_CHANGED_MS = 60_000;
const SNAPSHOT_SAME_MS = 900_000;

/**
 * Limits the age of a stored floor that is used for a moment: beyond two days only the last of each
 * hour is kept, and one follows within 15 minutes.
 */
const FLOOR_HELD_MS = 4_500_000;

const WEI_PER_ETH = 1e18;
const NOTHING = { native: null, usd: null, price: null, symbol: null };

/** A sale above this many floors is believed only with its receipt. */
const DEAR_FLOORS = 10n;

/** The symbols of ether. */
const ETH_SYMBOLS = new Set(["ETH", "WETH"]);

/**
 * Decides the floor. The provider's figure covers more markets than its order book, so it comes
 * first. Zero is never a floor: it means not counted yet.
 */
export function decideFloor(sources: FloorSources): FloorReading {
	const { stats, statsNative, best, isEmptyBook } = sources;
	if (stats && stats.value > 0 && statsNative !== null && statsNative > 0n) {
		return { kind: "ask", native: statsNative, price: stats.value, symbol: stats.symbol };
	}
	if (best && BigInt(best.unitNative) > 0n) {
		const { unitNative, price, symbol } = best;
		return { kind: "ask", native: BigInt(unitNative), price, symbol };
	}
	return isEmptyBook && stats === null ? { kind: "none" } : { kind: "unknown" };
}

/**
 * Returns the change from a floor of a day ago to the present one, in percent; null where either is
 * unknown.
 */
export function floorChangePercent(now: string | null, before: string | null): number | null {
	if (now === null || before === null) return null;
	const from = Number(before);
	const to = Number(now);
	return from > 0 && to > 0 ? ((to - from) / from) * 100 : null;
}

/**
 * Reads the floor at a time, by the primary key; null where none is stored for it. One older than
 * `FLOOR_HELD_MS` does not count: the floor was not read since.
 */
export async function readFloorAt(
	db: Queryable,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<KeptFloor | null> {
	const rows = await db.query<KeptFloor>(
		`select floor_native as native, floor_usd as usd, at from market_index.floor_snapshot
		where collection_id = $1 and at <= $2 and at > $3 order by at desc limit 1`,
		[collectionId, at, new Date(at.getTime() - FLOOR_HELD_MS)],
	);
	return rows[0] ?? null;
}

/**
 * Sums up the floors that were seen in a stretch of time, by the primary key: at most 90 days of
 * hours and two of minutes. Null where none was.
 */
export async function readFloorRange(
	db: Queryable,
	{ collectionId, from, until }: { collectionId: number; from: Date; until: Date },
): Promise<FloorRange | null> {
	const rows = await db.query<FloorRange>(
		`select min(floor_native) as lowest, max(floor_native) as highest,
			(array_agg(floor_native order by at))[1] as first,
			(array_agg(floor_native order by at desc))[1] as last,
			min(at) as "firstAt", max(at) as "lastAt"
		from market_index.floor_snapshot
		where collection_id = $1 and at >= $2 and at <= $3 having count(*) > 0`,
		[collectionId, from, until],
	);
	return rows[0] ?? null;
}

/**
 * Reads the floors that stood at some times, of each of some collections; by the primary key. One
 * that was not seen in the 75 minutes before its time is left out.
 */
export function readFloorsAt(
	db: Queryable,
	{ collectionIds, times }: { collectionIds: readonly number[]; times: readonly Date[] },
): Promise<{ id: number; time: Date; native: string }[]> {
	return db.query<{ id: number; time: Date; native: string }>(
		`select given.id, asked.time, seen.floor_native as native
		from unnest($1::int4[]) as given (id)
		cross join unnest($2::timestamptz[], $3::timestamptz[]) as asked (time, since)
		cross join lateral (
			select floor_native from market_index.floor_snapshot
			where collection_id = given.id and at <= asked.time and at > asked.since
			order by at desc limit 1
		) as seen`,
		[collectionIds, times, times.map((time) => new Date(time.getTime() - FLOOR_HELD_MS))],
	);
}

/** Reads since when floors of a collection are kept; null: none is. By the primary key. */
export async function readFloorsSince(db: Queryable, collectionId: number): Promise<Date | null> {
	const rows = await db.query<{ at: Date }>(
		"select at from market_index.floor_snapshot where collection_id = $1 order by at limit 1",
		[collectionId],
	);
	return rows[0]?.at ?? null;
}

/**
 * Makes the judge of a chain's sales: one is too dear where a unit cost more than ten times the
 * floor, by the price in ETH. A collection whose owners are walked needs none, as its moves are
 * read anyway; and one without a floor has nothing to hold a price against.
 */
export function createDearSales({
	db,
	chains,
	prices,
}: Pick<Core, "db" | "chains"> & { prices: Pick<Prices, "toNative"> }): NonNullable<
	EventSink["areDear"]
> {
	return async (chainId, sales) => {
		const chain = chains.byId(chainId);
		assert(chain, `sales of chain ${chainId}, which has no definition`);
		const contracts = [...new Set(sales.map(({ contract }) => contract))];
		const rows = await db.query<{ contract: string; floor: string }>(
			`select '0x' || encode(c.address, 'hex') as contract, c.floor_native as floor
			from market_index.collection as c
			where c.chain_id = $1 and c.address = any($2::bytea[]) and c.floor_native > 0
				and not exists (
					select from market_index.ownership as o where o.collection_id = c.id
						and o.next_block > o.end_block and o.minted > 0
				)`,
			[chainId, contracts.map(bytesOf)],
		);
		const floors = new Map(rows.map(({ contract, floor }) => [contract, BigInt(floor)]));
		return sales.map((sale) => {
			const floor = floors.get(sale.contract);
			const worth = floor === undefined ? null : nativeTotal(chain, sale, prices);
			return floor !== undefined && worth !== null && worth > DEAR_FLOORS * floor * sale.quantity;
		});
	};
}

/**
 * Stores what was learned of a floor, keeps a snapshot of it, and publishes a change in the
 * collection's stream, all in the caller's transaction.
 *
 * A floor that was learned after this one was asked for is newer, and stays: answers overtake each
 * other, and the stream overtakes them all.
 */
export async function setFloor(
	tx: Tx,
	setting: {
		chain: Chain;
		collection: SyncedCollection;
		reading: FloorReading;
		outbox: Pick<Outbox, "append">;
		prices: Pick<Prices, "ethUsd">;
		nowMs: number;
		/** The time of the request; left out where the floor was pushed. */
		askedAtMs?: number;
	},
): Promise<void> {
	const { chain, collection, reading, outbox, prices, nowMs, askedAtMs = nowMs } = setting;
	if (reading.kind === "unknown") return;
	const [before] = await tx.query<Stored>(
		`select floor_native as native, floor_usd as usd, floor_price as price, floor_symbol as symbol,
			floor_at as at
		from market_index.collection where id = $1 for no key update`,
		[collection.id],
	);
	if (!before || isNewerKnown(before.at, { askedAtMs, nowMs })) return;
	const at = new Date(nowMs);
	const after = nextFloor(before, reading, prices.ethUsd(nowMs));
	await tx.execute(
		`update market_index.collection set floor_native = $2, floor_usd = $3, floor_price = $4,
			floor_symbol = $5, floor_at = $6 where id = $1`,
		[collection.id, after.native, after.usd, after.price, after.symbol, at],
	);
	if (reading.kind === "ask") {
		const { native } = reading;
		await keepSnapshot(tx, { collectionId: collection.id, native, usd: after.usd, at });
	}
	if (after.native === before.native) return;
	const data: FloorUpdate = {
		floorNative: displayFloor(after.native),
		floorUsd: after.usd,
		floorPrice: after.price,
		floorSymbol: after.symbol,
		observedAt: at.toISOString(),
	};
	outbox.append(tx, collectionTopic(chain.slug, collection.address), [
		{ type: "floor_update", data },
	]);
}

/**
 * Keeps a snapshot of the floor, unless the last one is too young: a minute where it differs, a
 * quarter of an hour where it does not.
 */
async function keepSnapshot(
	tx: Tx,
	floor: { collectionId: number; native: bigint; usd: number | null; at: Date },
): Promise<void> {
	await tx.execute(
		`insert into market_index.floor_snapshot (collection_id, at, floor_native, floor_usd)
		select $1::int4, $2::timestamptz, $3::numeric, $4::float8
		where not exists (
			select from (
				select at, floor_native from market_index.floor_snapshot
				where collection_id = $1 order by at desc limit 1
			) as last
			where last.at > $2::timestamptz - case when last.floor_native = $3::numeric
				then $6::float8 else $5::float8 end * interval '1 millisecond'
		)
		on conflict do nothing`,
		[floor.collectionId, floor.at, floor.native, floor.usd, SNAPSHOT_CHANGED_MS, SNAPSHOT_SAME_MS],
	);
}

/**
 * Returns the floor of a provider's stats in wei of ETH. It is stated in the collection's own
 * currency and used only if that is ETH: for any other the best ask of the book is used.
 */
export function statsFloorNative(
	floor: ProviderFigure,
	{ chainId, prices, nowMs }: Rates,
): bigint | null {
	if (!floor || !ETH_SYMBOLS.has(floor.symbol.toUpperCase())) return null;
	return prices.nativeOfSymbol(chainId, "ETH", floor.value, nowMs);
}

/** Says whether a newer floor is known. One from the future was written by a wrong clock. */
function isNewerKnown(at: Date | null, asked: { askedAtMs: number; nowMs: number }): boolean {
	return at !== null && at.getTime() > asked.askedAtMs && at.getTime() <= asked.nowMs;
}

/**
 * Returns the floor to store. Without a present rate the USD figure is computed at the old floor's
 * rate: it is neither erased nor left standing for another floor.
 */
function nextFloor(
	before: Stored,
	reading: Exclude<FloorReading, { kind: "unknown" }>,
	ethUsd: number | null,
): Omit<Stored, "at"> {
	if (reading.kind === "none") return NOTHING;
	const { native, price, symbol } = reading;
	const eth = Number(native) / WEI_PER_ETH;
	const lastRate =
		before.usd === null || before.native === null || before.native === "0"
			? null
			: before.usd / (Number(before.native) / WEI_PER_ETH);
	const rate = ethUsd ?? lastRate;
	return { native: native.toString(), usd: rate === null ? null : eth * rate, price, symbol };
}
