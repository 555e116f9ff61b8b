// Stores, reads and renders announced mints.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { displayCount, displayNative, displayTime } from "#plugins/market-index/display.ts";
import { nativeTotal } from "#plugins/market-index/rollup/windows.ts";
import type { Drop } from "#plugins/market-index/schemas/lists.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderDrop, ProviderDropStage } from "#plugins/provider/contract.ts";

/** A stage as it is stored in `drop.stages`. Amounts are base units, as decimal text. */
type StoredStage = {
	type: string;
	label: string | null;
	priceRaw: string | null;
	currency: Address | null;
	startsAt: string | null;
	endsAt: string | null;
	maxPerWallet: string | null;
};

/** A drop as it is stored, with the index's own collection where there is one. */
export type DropRow = {
	chainId: number;
	contract: Address;
	providerSlug: string;
	slug: string | null;
	name: string | null;
	imageUrl: string | null;
	type: string;
	isMinting: boolean;
	stages: StoredStage[];
	maxSupply: string | null;
	totalSupply: string | null;
	startsAt: Date | null;
	endsAt: Date | null;
	seenAt: Date;
};

/** The key of a page's last drop. An unknown start comes last. */
export type DropPlace = { startsAtMs: number | null; chainId: number; contract: `0x${string}` };

type DropsQuery = {
	chainIds: readonly number[];
	state: DropState | null;
	nowMs: number;
	after: DropPlace | null;
	limit: number;
};

export type StoredDrop = Omit<ProviderDrop, "stages"> & {
	stages: StoredStage[];
	startsAtMs: number | null;
	endsAtMs: number | null;
};

export const DROP_STATES = ["minting", "upcoming", "ended"] as const;
export type DropState = (typeof DROP_STATES)[number];

/** Holds the SQL condition of each state, by the provider's state and the times of the stages. */
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

/** Renders a drop for clients. */
export function renderDrop(
	chain: Chain,
	row: DropRow,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative">; nowMs: number },
): Drop {
	return {
		slug: row.slug ?? row.contract,
		isIndexed: row.slug !== null,
		chain: chain.slug,
		contractAddress: row.contract,
		name: row.name,
		imageUrl: row.imageUrl,
		type: row.type,
		state: stateOf(row, nowMs),
		stages: row.stages.map((stage) => renderStage(chain, stage, { prices, nowMs })),
		maxSupply: displayCount(row.maxSupply),
		totalSupply: row.totalSupply === null ? null : Number(row.totalSupply),
		startsAt: displayTime(row.startsAt),
		endsAt: displayTime(row.endsAt),
		seenAt: row.seenAt.toISOString(),
	};
}

/**
 * Returns a drop with its stages in order and the time from the first one's start to the last one's
 * end. A list names the active and the next stage only; a stage without an end leaves the end open.
 */
export function storedDrop(drop: ProviderDrop): StoredDrop {
	const told = drop.stages.length > 0 ? drop.stages : [drop.activeStage, drop.nextStage];
	const byId = new Map<string, ProviderDropStage>();
	for (const stage of told) if (stage) byId.set(stage.uuid, stage);
	const stages = [...byId.values()].sort(
		(a, b) =>
			(a.startsAtMs ?? Number.NEGATIVE_INFINITY) - (b.startsAtMs ?? Number.NEGATIVE_INFINITY),
	);
	const starts = stages.flatMap(({ startsAtMs }) => startsAtMs ?? []);
	const ends = stages.flatMap(({ endsAtMs }) => endsAtMs ?? []);
	return {
		...drop,
		stages: stages.map(storedStage),
		startsAtMs: starts.length > 0 ? Math.min(...starts) : null,
		endsAtMs: stages.length > 0 && ends.length === stages.length ? Math.max(...ends) : null,
	};
}

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

function stateOf(row: DropRow, nowMs: number): Drop["state"] {
	const { startsAt, endsAt, isMinting } = row;
	if (endsAt !== null && endsAt.getTime() <= nowMs) return "ended";
	if (isMinting) return "minting";
	if (startsAt !== null && startsAt.getTime() > nowMs) return "upcoming";
	return startsAt !== null && endsAt !== null ? "minting" : null;
}

/** Renders a stage, its price as an ETH equivalent at the present rate: nothing was paid yet. */
function renderStage(
	chain: Chain,
	stage: StoredStage,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative">; nowMs: number },
): Drop["stages"][number] {
	const { currency, priceRaw } = stage;
	const totalRaw = priceRaw === null ? null : BigInt(priceRaw);
	const wei = nativeTotal(chain, { currency, totalRaw, occurredAtMs: nowMs }, prices);
	// A free mint is free in every currency.
	const native = totalRaw === 0n ? totalRaw : wei;
	return { ...stage, priceNative: displayNative(native === null ? null : native.toString()) };
}

function storedStage(stage: ProviderDropStage): StoredStage {
	return {
		type: stage.type,
		label: stage.label,
		priceRaw: stage.priceRaw?.toString() ?? null,
		currency: stage.currency,
		startsAt: isoOf(stage.startsAtMs),
		endsAt: isoOf(stage.endsAtMs),
		maxPerWallet: stage.maxPerWallet?.toString() ?? null,
	};
}

function isoOf(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}
