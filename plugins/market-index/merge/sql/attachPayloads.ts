import type { Tx } from "#core/db/Database.ts";
import type { EventPlace } from "#plugins/market-index/confirm/Unconfirmed.ts";

export type Attached = EventPlace & { payload: Readonly<Record<string, unknown>> };

/** Adds the provider's words to events without any, by the unique index. */
export async function attachPayloads(
	tx: Tx,
	chainId: number,
	attached: readonly Attached[],
): Promise<void> {
	if (attached.length === 0) return;
	await tx.execute(
		`update market_index.event as e set payload = given.payload
		from unnest($2::int8[], $3::int4[], $4::int4[], $5::timestamptz[], $6::jsonb[])
			as given (block, log, sub, at, payload)
		where e.chain_id = $1 and e.block_number = given.block and e.log_index = given.log
			and e.sub_index = given.sub and e.occurred_at = given.at and e.payload is null`,
		[
			chainId,
			attached.map(({ blockNumber }) => blockNumber),
			attached.map(({ logIndex }) => logIndex),
			attached.map(({ subIndex }) => subIndex),
			attached.map(({ occurredAtMs }) => new Date(occurredAtMs)),
			attached.map(({ payload }) => JSON.stringify(payload)),
		],
	);
}
