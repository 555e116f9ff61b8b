import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Span } from "#plugins/market-index/owners/Span.ts";

export type SpanWrite = {
	gone: readonly { setId: number; from: bigint }[];
	made: readonly (Span & { setId: number })[];
};

/** Replaces stored spans, by primary key. */
export async function writeSpans(tx: Tx, { gone, made }: SpanWrite): Promise<void> {
	await Promise.all([deleteSpans(tx, gone), upsertSpans(tx, made)]);
}

async function deleteSpans(tx: Tx, gone: SpanWrite["gone"]): Promise<void> {
	if (gone.length === 0) return;
	await tx.execute(
		`delete from market_index.owned_span as kept
		using unnest($1::int4[], $2::numeric[]) as given (id, from_id)
		where kept.set_id = given.id and kept.from_id = given.from_id`,
		[gone.map(({ setId }) => setId), gone.map(({ from }) => from)],
	);
}

async function upsertSpans(tx: Tx, made: SpanWrite["made"]): Promise<void> {
	if (made.length === 0) return;
	await tx.execute(
		`insert into market_index.owned_span (set_id, from_id, to_id, owner, position)
		select * from unnest($1::int4[], $2::numeric[], $3::numeric[], $4::bytea[], $5::int8[])
		on conflict (set_id, from_id) do update set
			to_id = excluded.to_id, owner = excluded.owner, position = excluded.position`,
		[
			made.map(({ setId }) => setId),
			made.map(({ from }) => from),
			made.map(({ to }) => to),
			made.map(({ owner }) => bytesOf(owner)),
			made.map(({ position }) => position),
		],
	);
}
