import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { DropRow } from "#plugins/market-index/drops/DropRow.ts";

export const DROP_STATES = ["minting", "upcoming", "ended"] as const;
export type DropState = (typeof DROP_STATES)[number];

/** The key of a page's last drop. An unknown start comes last. */
export type DropPlace = { startsAtMs: number | null; chainId: number; contract: `0x${string}` };

export type DropsQuery = {
	chainIds: readonly number[];
	state: DropState | null;
	nowMs: number;
	after: DropPlace | null;
	limit: number;
};

/** The condition of each state, by the provider's word and by the stages' times. */
const STATE_SQL: Record<DropState, string> = {
	minting: `(d.is_minting or d.starts_at <= $2) and (d.ends_at is null or d.ends_at > $2)
		and (d.is_minting or d.ends_at is not null)`,
	upcoming: "not d.is_minting and d.starts_at > $2",
	ended: "d.ends_at <= $2",
};

/** Returns drops by their start: the next one first if they are upcoming, else the newest. */
export async function readDrops(db: Queryable, query: DropsQuery): Promise<DropRow[]> {
	const { chainIds, state, nowMs, after, limit } = query;
	const rises = state === "upcoming";
	const startsAtMs = after?.startsAtMs ?? null;
	return await db.query<DropRow>(
		`select d.chain_id as "chainId", '0x' || encode(d.contract, 'hex') as contract,
			d.provider_slug as "providerSlug", c.slug, coalesce(c.name, d.name) as name,
			coalesce(d.image_url, c.image_url) as "imageUrl", d.type, d.is_minting as "isMinting",
			d.stages, coalesce(d.max_supply, c.max_supply) as "maxSupply",
			d.total_supply as "totalSupply", d.starts_at as "startsAt", d.ends_at as "endsAt",
			d.seen_at as "seenAt"
		from market_index.drop as d
		left join market_index.collection as c
			on c.chain_id = d.chain_id and c.address = d.contract and not c.excluded
		where d.chain_id = any($1::int8[]) and $2::timestamptz is not null
			and (${state === null ? "true" : STATE_SQL[state]})
			and ($3::int8 is null
				or ($4::timestamptz is null and d.starts_at is null and (d.chain_id, d.contract) > ($3, $5))
				or ($4::timestamptz is not null and (d.starts_at is null
					or d.starts_at ${rises ? ">" : "<"} $4
					or (d.starts_at = $4 and (d.chain_id, d.contract) > ($3, $5)))))
		order by d.starts_at ${rises ? "asc" : "desc"} nulls last, d.chain_id, d.contract
		limit $6`,
		[
			chainIds,
			new Date(nowMs),
			after?.chainId ?? null,
			startsAtMs === null ? null : new Date(startsAtMs),
			after ? bytesOf(after.contract) : null,
			limit,
		],
	);
}
