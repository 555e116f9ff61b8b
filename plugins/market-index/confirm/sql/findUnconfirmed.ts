import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { standInPrefix } from "#plugins/market-index/confirm/standInPrefix.ts";
import type { Unconfirmed } from "#plugins/market-index/confirm/Unconfirmed.ts";

export type UnconfirmedQuery = {
	chainId: number;
	transactions: ReadonlySet<Hex>;
	/** Also events of these contracts that were told without a transaction. */
	contracts: ReadonlySet<Address>;
};

/** How `unconfirmed` stores kinds, by index. */
export const UNCONFIRMED_KINDS = ["sale", "mint", "transfer"] as const;

type Row = Omit<Unconfirmed, "kind" | "tokenId" | "occurredAtMs"> & {
	kind: number;
	tokenId: string;
	occurredAt: Date;
};

/**
 * Returns what only the provider told of these transactions, and of these contracts without a
 * transaction.
 *
 * Both by primary key (chain, transaction): stand-in hashes of a contract are neighbours. Each
 * row's event by its unique index. With nothing unconfirmed this is two look-ups in an empty index.
 * Where retention deleted the event, its payload and parties are gone with it.
 */
export async function findUnconfirmed(
	db: Queryable,
	{ chainId, transactions, contracts }: UnconfirmedQuery,
): Promise<Unconfirmed[]> {
	const spans = [...contracts].map(standInPrefix);
	const rows = await db.query<Row>(
		`with found as (
			select * from market_index.unconfirmed
			where chain_id = $1 and transaction_hash = any($2::bytea[])
			union all
			select u.* from unnest($3::bytea[], $4::bytea[]) as span (low, high)
			join market_index.unconfirmed as u on u.chain_id = $1
				and u.transaction_hash >= span.low and u.transaction_hash <= span.high
		)
		select u.kind, '0x' || encode(u.transaction_hash, 'hex') as "transactionHash",
			u.collection_id as "collectionId", u.token_id as "tokenId",
			u.block_number as "blockNumber", u.log_index as "logIndex", u.sub_index as "subIndex",
			u.occurred_at as "occurredAt",
			coalesce('0x' || encode(e.from_address, 'hex'), '0x') as "from",
			coalesce('0x' || encode(e.to_address, 'hex'), '0x') as "to", e.payload
		from found as u
		left join market_index.event as e on e.chain_id = u.chain_id
			and e.block_number = u.block_number and e.log_index = u.log_index
			and e.sub_index = u.sub_index and e.occurred_at = u.occurred_at`,
		[
			chainId,
			[...transactions].map(bytesOf),
			spans.map((prefix) => bytesOf(`${prefix}${"00".repeat(16)}`)),
			spans.map((prefix) => bytesOf(`${prefix}${"ff".repeat(16)}`)),
		],
	);
	return rows.map(({ kind, tokenId, occurredAt, ...same }) => ({
		...same,
		kind: UNCONFIRMED_KINDS[kind] ?? "transfer",
		tokenId: BigInt(tokenId),
		occurredAtMs: occurredAt.getTime(),
	}));
}
