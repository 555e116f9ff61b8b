import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";
import { displayFloor } from "#plugins/market-index/display/displayFloor.ts";
import type { FloorReading } from "#plugins/market-index/floor/FloorReading.ts";
import type { FloorUpdate } from "#plugins/market-index/floor/FloorUpdate.ts";
import { keepSnapshot } from "#plugins/market-index/floor/sql/keepSnapshot.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type Stored = {
	native: string | null;
	usd: number | null;
	price: number | null;
	symbol: string | null;
	at: Date | null;
};

const WEI_PER_ETH = 1e18;
const NOTHING = { native: null, usd: null, price: null, symbol: null };

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
		/** When it was asked for; left out where it was pushed. */
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
