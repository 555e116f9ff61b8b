import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** An order that was retired or reactivated, with the unit price of a public listing. */
export type ChangedOrder = { orderHash: Hex; askNative: string | null };

/** Whether an order is to be active or retired. */
export type OrderSwitch = {
	orderHash: Hex;
	isActive: boolean;
	/** Units that were bought; null where the whole order changed. */
	bought: bigint | null;
};

/**
 * Retires or reactivates orders, each at most once, by primary key; returns those that changed.
 * After a partial purchase an order is retired only if those were all units.
 */
export async function setOrdersActive(
	tx: Tx,
	set: {
		collectionId: number;
		generation: number;
		at: Date;
		switches: readonly OrderSwitch[];
	},
): Promise<(ChangedOrder & { isActive: boolean })[]> {
	const { switches } = set;
	if (switches.length === 0) return [];
	return await tx.query(
		`update market_index.market_order as kept set is_active = given.active, generation = $2,
			seen_at = $3, retired_at = case when given.active then null else $3::timestamptz end
		from unnest($4::bytea[], $5::boolean[], $6::numeric[]) as given (hash, active, bought)
		where kept.collection_id = $1 and kept.order_hash = given.hash
			and kept.is_active <> given.active
			and (given.bought is null or kept.quantity <= given.bought)
		returning '0x' || encode(kept.order_hash, 'hex') as "orderHash", kept.is_active as "isActive",
			case when kept.kind = 0 and not kept.is_private then kept.unit_native end as "askNative"`,
		[
			set.collectionId,
			set.generation,
			set.at,
			switches.map(({ orderHash }) => bytesOf(orderHash)),
			switches.map(({ isActive }) => isActive),
			switches.map(({ bought }) => bought),
		],
	);
}
