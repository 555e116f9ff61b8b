import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import { UNCONFIRMED_KINDS } from "#plugins/market-index/confirm/sql/findUnconfirmed.ts";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";

type UnconfirmedColumn =
	| "transactionHash"
	| "collectionId"
	| "kind"
	| "tokenId"
	| "blockNumber"
	| "logIndex"
	| "subIndex"
	| "occurredAtMs";

/**
 * Records that only the provider tells of these events, with the time since when that is so again.
 */
export async function insertUnconfirmed(
	tx: Tx,
	chainId: number,
	rows: readonly Pick<EventRow, UnconfirmedColumn>[],
	leftChainAt: Date | null = null,
): Promise<void> {
	if (rows.length === 0) return;
	await tx.execute(
		`insert into market_index.unconfirmed (
			chain_id, transaction_hash, collection_id, kind, token_id, block_number, log_index,
			sub_index, occurred_at, left_chain_at
		)
		select $1, *, $10::timestamptz from unnest(
			$2::bytea[], $3::int4[], $4::int2[], $5::numeric[], $6::int8[], $7::int4[], $8::int4[],
			$9::timestamptz[]
		)
		on conflict do nothing`,
		[
			chainId,
			rows.map((row) => bytesOf(row.transactionHash)),
			rows.map((row) => row.collectionId),
			rows.map((row) => UNCONFIRMED_KINDS.indexOf(row.kind)),
			rows.map((row) => row.tokenId),
			rows.map((row) => row.blockNumber),
			rows.map((row) => row.logIndex),
			rows.map((row) => row.subIndex),
			rows.map((row) => new Date(row.occurredAtMs)),
			leftChainAt,
		],
	);
}
