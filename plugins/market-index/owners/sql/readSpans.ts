import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Span } from "#plugins/market-index/owners/Span.ts";

export type SpanQuery = { setId: number; from: bigint; to: bigint };

type Row = {
	setId: number;
	from: string;
	to: string;
	owner: Address;
	position: string;
};

/**
 * Returns the stored spans that overlap these, by collection. By primary key: the last one that
 * begins at or before a span, and those that begin within it.
 */
export async function readSpans(
	tx: Tx,
	queries: readonly SpanQuery[],
): Promise<Map<number, Span[]>> {
	const asked = new Map(queries.map((query) => [keyOf(query), query]));
	const given = [...asked.values()];
	const rows = await tx.query<Row>(
		`select distinct s.set_id as "setId", s.from_id as "from", s.to_id as "to",
			'0x' || encode(s.owner, 'hex') as owner, s.position::text as position
		from unnest($1::int4[], $2::numeric[], $3::numeric[]) as given (id, low, high)
		cross join lateral (
			(
				select * from market_index.owned_span
				where set_id = given.id and from_id <= given.low
				order by from_id desc limit 1
			)
			union all
			select * from market_index.owned_span
			where set_id = given.id and from_id > given.low and from_id <= given.high
		) as s
		where s.to_id >= given.low`,
		[given.map(({ setId }) => setId), given.map(({ from }) => from), given.map(({ to }) => to)],
	);
	const spans = new Map<number, Span[]>();
	for (const { setId, from, to, owner, position } of rows) {
		const list = spans.get(setId) ?? [];
		spans.set(setId, list);
		list.push({ from: BigInt(from), to: BigInt(to), owner, position: BigInt(position) });
	}
	return spans;
}

function keyOf({ setId, from, to }: SpanQuery): string {
	return `${setId} ${from} ${to}`;
}
