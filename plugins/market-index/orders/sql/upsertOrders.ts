import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { ORDER_KINDS } from "#plugins/market-index/event/BookOrder.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";

/**
 * Stores orders that can be filled by the provider's word, by primary key; returns the hashes of
 * those that were not active before.
 *
 * `known` is not joined with the given rows: the planner expects few of these, and then read the
 * whole book for each of a thousand (5,000 orders took four times as long).
 *
 * An order retired after `knownAt`, when the provider was asked, stays retired, as the answer is
 * older. An unknown ETH equivalent never erases a known one.
 */
export async function upsertOrders(
	tx: Tx,
	write: {
		collectionId: number;
		generation: number;
		rows: readonly OrderRow[];
		knownAt: Date;
		seenAt: Date;
	},
): Promise<Hex[]> {
	const { rows } = write;
	const fresh = await tx.query<{ orderHash: Hex }>(
		`with given as (
			select * from unnest(
				$5::bytea[], $6::int2[], $7::numeric[], $8::bytea[], $9::numeric[], $10::bytea[],
				$11::text[], $12::int4[], $13::numeric[], $14::numeric[], $15::bytea[], $16::jsonb[],
				$17::boolean[], $18::jsonb[], $19::timestamptz[], $20::timestamptz[]
			) as t (order_hash, kind, token_id, maker, quantity, currency, symbol, decimals, total_raw,
				unit_native, protocol_address, criteria, is_private, protocol_data, starts_at, expires_at)
		), known as (
			select order_hash from market_index.market_order
			where collection_id = $1 and order_hash = any($5::bytea[]) and is_active
		), stored as (
			insert into market_index.market_order as kept (
				collection_id, generation, is_active, seen_at, order_hash, kind, token_id, maker,
				quantity, currency, symbol, decimals, total_raw, unit_native, protocol_address, criteria,
				is_private, protocol_data, starts_at, expires_at
			)
			select $1, $2, true, $4, given.* from given
			on conflict (collection_id, order_hash) do update set
				generation = excluded.generation, is_active = true, seen_at = excluded.seen_at,
				retired_at = null, quantity = excluded.quantity, total_raw = excluded.total_raw,
				unit_native = coalesce(excluded.unit_native, kept.unit_native),
				is_private = excluded.is_private,
				protocol_data = coalesce(excluded.protocol_data, kept.protocol_data),
				starts_at = excluded.starts_at, expires_at = excluded.expires_at
			where kept.is_active or kept.retired_at is null or kept.retired_at < $3
			returning kept.order_hash
		)
		select '0x' || encode(order_hash, 'hex') as "orderHash" from stored
		where order_hash not in (select order_hash from known)`,
		[
			write.collectionId,
			write.generation,
			write.knownAt,
			write.seenAt,
			rows.map((row) => bytesOf(row.orderHash)),
			rows.map((row) => ORDER_KINDS.indexOf(row.kind)),
			rows.map((row) => row.tokenId),
			rows.map((row) => bytesOf(row.maker)),
			rows.map((row) => row.quantity),
			rows.map((row) => optionalBytes(row.currency)),
			rows.map((row) => row.symbol),
			rows.map((row) => row.decimals),
			rows.map((row) => row.totalRaw),
			rows.map((row) => row.unitNative),
			rows.map((row) => optionalBytes(row.protocolAddress)),
			rows.map((row) => JSON.stringify(row.criteria)),
			rows.map((row) => row.isPrivate),
			rows.map((row) => (row.protocolData === null ? null : JSON.stringify(row.protocolData))),
			rows.map((row) => row.startsAt),
			rows.map((row) => row.expiresAt),
		],
	);
	return fresh.map(({ orderHash }) => orderHash);
}

function optionalBytes(address: Address | null): Buffer | null {
	return address === null ? null : bytesOf(address);
}
