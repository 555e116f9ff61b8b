// Applies order changes of the provider's stream, with the floor that follows.

import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor.ts";
import {
	type OrderPush,
	type OrderRow,
	orderRowOf,
	roundsOf,
	UNSEEN_MS,
} from "#plugins/market-index/orders/OrderRow.ts";
import { bookFigures, type LockedBook, lockBook } from "#plugins/market-index/orders/sql/books.ts";
import {
	type OrderSwitch,
	setOrdersActive,
	upsertOrders,
} from "#plugins/market-index/orders/sql/orders.ts";
import { sendOrderFrames } from "#plugins/market-index/orders/writeBook.ts";
import { FLOOR_AGAIN_MS, type SyncContext } from "#plugins/market-index/pace.ts";

type Settling = {
	chain: Chain;
	book: LockedBook;
	/** Unit prices of listings that went: sold, cancelled, or expired. */
	lost: readonly string[];
	nowMs: number;
};

type Context = Pick<SyncContext, "core" | "prices">;

type Applying = {
	context: Context;
	chain: Chain;
	book: LockedBook;
	nowMs: number;
};

type Round = {
	/** Orders that became active or inactive. */
	changed: Hex[];
	hasRetired: boolean;
	/** Unit prices of the listings that went. */
	lost: string[];
};

/** The interval of storing the time of an unchanged count, instead of with each push. */
const COUNTED_AGAIN_MS = 60_000;

/**
 * Stores the book changes from the provider's stream, and publishes them. Changes of one book share
 * a transaction; each order's are stored in the order of arrival. A cheaper listing becomes the
 * floor at once. When the listing at the floor goes, the best of the rest becomes the floor, where
 * it is known. In both cases the book is due to be read again.
 */
export async function applyOrderPushes(
	context: Context,
	pushes: readonly OrderPush[],
): Promise<void> {
	const books = new Map<string, OrderPush[]>();
	for (const push of pushes) {
		const key = `${chainIdOf(push)}:${push.slug}`;
		const told = books.get(key);
		if (told) told.push(push);
		else books.set(key, [push]);
	}
	for (const told of books.values()) await applyToBook(context, told);
}

/**
 * Sets count and floor from the rest of the book, if it was whole a short while ago: a few pushed
 * orders make no count, and no floor. In any case a floor that went is soon read again, as the
 * provider sees more markets than the book has.
 */
export async function settleBook(
	tx: Tx,
	{ core, prices }: Pick<SyncContext, "core" | "prices">,
	{ chain, book, lost, nowMs }: Settling,
): Promise<void> {
	const { floorNative } = book;
	const isLost = floorNative !== null && lost.includes(floorNative);
	const isWhole = book.listedCount !== null && (book.ordersAt?.getTime() ?? 0) >= nowMs - UNSEEN_MS;
	if (isWhole) {
		const { listed, best } = await bookFigures(tx, book.id, nowMs);
		await tx.execute(
			`update market_index.collection set listed_count = $2, listed_at = $3
			where id = $1 and (listed_count is distinct from $2 or listed_at is null
				or listed_at <= $4 or listed_at > $3)`,
			[book.id, listed, new Date(nowMs), new Date(nowMs - COUNTED_AGAIN_MS)],
		);
		if (isLost) {
			const reading = best
				? ({ kind: "ask", ...best, native: BigInt(best.unitNative) } as const)
				: ({ kind: "none" } as const);
			const { outbox } = core;
			await setFloor(tx, { chain, collection: book, reading, outbox, prices, nowMs });
		}
	}
	if (isLost) await askSoon(tx, book.id, nowMs);
}

function chainIdOf(push: OrderPush): number | null {
	return push.type === "order" ? push.order.chainId : push.chainId;
}

/** Stores the changes of one book: one slug of the provider on one chain. */
async function applyToBook(context: Context, pushes: readonly OrderPush[]): Promise<void> {
	const { core, prices } = context;
	const [first] = pushes;
	const chainId = first ? chainIdOf(first) : null;
	const chain = chainId === null ? null : core.chains.byId(chainId);
	if (!first || !chain) return;
	await core.db.transaction(async (tx) => {
		const book = await lockBook(tx, { chainId: chain.id, slug: first.slug });
		if (!book) return;
		const nowMs = core.clock.nowMs();
		const applying = { context, chain, book, nowMs };
		const telling = { chain, collection: book, outbox: core.outbox, prices, nowMs };
		const lost: string[] = [];
		/** Orders that the round before changed: they are published before this round's. */
		let changed: Hex[] = [];
		let hasChanged = false;
		let hasRetired = false;
		for (const round of roundsOf(pushes)) {
			await sendOrderFrames(tx, { ...telling, changed, framesMax: pushes.length });
			const done = await applyRound(tx, applying, round);
			changed = done.changed;
			hasChanged ||= changed.length > 0;
			hasRetired ||= done.hasRetired;
			lost.push(...done.lost);
		}
		if (!hasChanged) return;
		await settleBook(tx, context, { chain, book, lost, nowMs });
		if (hasRetired) await makeDue(tx, book.id, nowMs);
		await sendOrderFrames(tx, { ...telling, changed, framesMax: pushes.length });
	});
}

/** Applies changes of different orders, in three statements; a lower floor takes two more. */
async function applyRound(
	tx: Tx,
	{ context, chain, book, nowMs }: Applying,
	round: readonly OrderPush[],
): Promise<Round> {
	const { core, prices } = context;
	const rows: OrderRow[] = [];
	const switches: OrderSwitch[] = [];
	for (const push of round) {
		if (push.type === "order") {
			const row = push.order.isActive ? orderRowOf(push.order, book, { prices, nowMs }) : null;
			if (row) rows.push(row);
			continue;
		}
		switches.push({
			orderHash: push.orderHash,
			isActive: push.type === "order_back",
			bought: push.type === "order_filled" ? push.quantity : null,
		});
	}
	const at = new Date(nowMs);
	const { id: collectionId, generation } = book;
	// This is newer than any retirement until now.
	const write = { collectionId, generation, rows, knownAt: new Date(nowMs + 1), seenAt: at };
	const added = rows.length > 0 ? await upsertOrders(tx, write) : [];
	const cheapest = cheapestOf(rows, book, nowMs);
	if (cheapest) {
		const { unitPrice: price, symbol } = cheapest;
		const native = BigInt(cheapest.unitNative ?? 0);
		const reading = { kind: "ask", native, price, symbol } as const;
		const { outbox } = core;
		await setFloor(tx, { chain, collection: book, reading, outbox, prices, nowMs });
		book.floorNative = native.toString();
	}
	const switched = await setOrdersActive(tx, { collectionId, generation, at, switches });
	const retired = switched.filter(({ isActive }) => !isActive);
	return {
		changed: [...added, ...switched.map(({ orderHash }) => orderHash)],
		hasRetired: retired.length > 0,
		lost: retired.flatMap(({ askNative }) => askNative ?? []),
	};
}

/** Returns the cheapest open ask below the known floor; null where there is none. */
function cheapestOf(rows: readonly OrderRow[], book: LockedBook, nowMs: number): OrderRow | null {
	let cheapest: OrderRow | null = null;
	for (const row of rows) {
		if (!isCheaper(row, book, nowMs)) continue;
		const isBelow = !cheapest || BigInt(row.unitNative ?? 0) < BigInt(cheapest.unitNative ?? 0);
		if (isBelow) cheapest = row;
	}
	return cheapest;
}

/**
 * Says whether an order is an open ask below the known floor. One above it changes nothing: the
 * floor may be from a market whose orders we do not have.
 */
function isCheaper(row: OrderRow, { floorNative }: LockedBook, nowMs: number): boolean {
	if (row.kind !== "listing" || row.isPrivate || row.unitNative === null) return false;
	if (row.startsAt && row.startsAt.getTime() > nowMs) return false;
	if (row.expiresAt && row.expiresAt.getTime() <= nowMs) return false;
	const asked = BigInt(row.unitNative);
	return asked > 0n && (floorNative === null || asked < BigInt(floorNative));
}

/**
 * Makes a book due: it is read again as soon as its collection is looked at. When an order ended
 * here, others may have ended without a push.
 */
async function makeDue(tx: Tx, collectionId: number, nowMs: number): Promise<void> {
	await tx.execute("update market_index.sync set orders_due_at = $2 where collection_id = $1", [
		collectionId,
		new Date(nowMs),
	]);
}

/**
 * Moves the next sync forward. A collection whose syncs fail keeps its own time. Stored listings of
 * an unfinished sync may include the one that went: they are read again.
 */
async function askSoon(tx: Tx, collectionId: number, nowMs: number): Promise<void> {
	await tx.execute(
		`update market_index.sync set parts = parts - 'listings' - 'pages',
			next_at = case when failures > 0 then next_at
				else least(next_at, greatest($2, synced_at + $3 * interval '1 millisecond')) end
		where collection_id = $1`,
		[collectionId, new Date(nowMs), FLOOR_AGAIN_MS],
	);
}
