import type { Tx } from "#core/db/Database.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";

/** An event that was removed. */
export type TakenBack = StoredEvent & { collectionId: number; standard: "erc721" | "erc1155" };

/**
 * Removes events of the chain above a block, and returns them in chain order; events that only the
 * provider told stay.
 *
 * By the unique index (chain, block, …) of each partition: the times of the lost blocks are not
 * known, and a month without any costs one look-up.
 */
export async function deleteEventsAbove(
	tx: Tx,
	reorg: { chainId: number; forkBlock: number },
): Promise<TakenBack[]> {
	const rows = await tx.query<EventColumns & Pick<TakenBack, "collectionId" | "standard">>(
		`with gone as (
			delete from market_index.event
			where chain_id = $1 and block_number > $2 and onchain_verified
			returning *
		)
		select ${EVENT_COLUMNS}, e.collection_id as "collectionId", c.standard
		from gone as e join market_index.collection as c on c.id = e.collection_id
		order by e.block_number, e.log_index, e.sub_index`,
		[reorg.chainId, reorg.forkBlock],
	);
	return rows.map(({ collectionId, standard, ...row }) => ({
		...eventOf(row),
		collectionId,
		standard,
	}));
}
