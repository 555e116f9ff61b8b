import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { StoredDrop } from "#plugins/market-index/drops/storedDrop.ts";

/**
 * Stores drops as the provider lists them. A list's gaps (supplies, later stages) never erase what
 * a drop's own answer told; `withDetail` means that this is one.
 *
 * A drop's maximum supply becomes its collection's where the contract has none, so that a
 * collection can be recognized as minted out. A collection that a lane is writing to gets it with
 * the next reading: waiting for several at once, in another order than the lane, could be a
 * deadlock.
 */
export async function upsertDrops(
	tx: Tx,
	drops: readonly StoredDrop[],
	{ nowMs, withDetail }: { nowMs: number; withDetail: boolean },
): Promise<void> {
	if (drops.length === 0) return;
	const now = new Date(nowMs);
	await tx.execute(
		`insert into market_index.drop as kept
			(chain_id, contract, provider_slug, name, image_url, type, is_minting, stages, max_supply,
			total_supply, starts_at, ends_at, seen_at, detail_at)
		select chain_id, contract, slug, name, image, type, minting, stages::jsonb, max_supply,
			total_supply, starts_at, ends_at, $12, case when $13 then $12::timestamptz end
		from unnest($1::int8[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[],
			$7::bool[], $8::text[], $9::numeric[], $10::numeric[], $11::timestamptz[],
			$14::timestamptz[]) as given
			(chain_id, contract, slug, name, image, type, minting, stages, max_supply, total_supply,
			starts_at, ends_at)
		on conflict (chain_id, contract) do update set
			provider_slug = excluded.provider_slug,
			name = coalesce(excluded.name, kept.name),
			image_url = coalesce(excluded.image_url, kept.image_url),
			type = excluded.type,
			is_minting = excluded.is_minting,
			stages = case when $13 or kept.detail_at is null then excluded.stages else kept.stages end,
			max_supply = coalesce(excluded.max_supply, kept.max_supply),
			total_supply = coalesce(excluded.total_supply, kept.total_supply),
			starts_at = case when $13 or kept.detail_at is null
				then excluded.starts_at else kept.starts_at end,
			ends_at = case when $13 or kept.detail_at is null
				then excluded.ends_at else kept.ends_at end,
			seen_at = excluded.seen_at,
			detail_at = coalesce(excluded.detail_at, kept.detail_at)`,
		[
			drops.map(({ chainId }) => chainId),
			drops.map(({ contract }) => bytesOf(contract)),
			drops.map(({ collectionSlug }) => collectionSlug),
			drops.map(({ collectionName }) => collectionName),
			drops.map(({ imageUrl }) => imageUrl),
			drops.map(({ type }) => type),
			drops.map(({ isMinting }) => isMinting),
			drops.map(({ stages }) => JSON.stringify(stages)),
			drops.map(({ maxSupply }) => maxSupply),
			drops.map(({ totalSupply }) => totalSupply),
			drops.map(({ startsAtMs }) => (startsAtMs === null ? null : new Date(startsAtMs))),
			now,
			withDetail,
			drops.map(({ endsAtMs }) => (endsAtMs === null ? null : new Date(endsAtMs))),
		],
	);
	await tx.execute(
		`update market_index.collection as c set max_supply = d.max_supply
		from market_index.drop as d
		where c.chain_id = d.chain_id and c.address = d.contract and d.max_supply > 0
			and c.id in (
				select id from market_index.collection
				where (chain_id, address) in (select * from unnest($1::int8[], $2::bytea[]))
					and max_supply is null
				for no key update skip locked
			)`,
		[drops.map(({ chainId }) => chainId), drops.map(({ contract }) => bytesOf(contract))],
	);
}
