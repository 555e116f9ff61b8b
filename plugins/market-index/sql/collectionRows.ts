import type { Address, Hex } from "#core/chain/Hex.ts";
import { floorBefore } from "#plugins/market-index/floor/floorBefore.ts";
import { tradedSql } from "#plugins/market-index/lifecycle/tradedSql.ts";
import { WINDOW_MS, type Window, windowOf } from "#plugins/market-index/read/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";
import { rowOf } from "#plugins/market-index/sql/rowOf.ts";
import { sumsSince } from "#plugins/market-index/sql/sumsSince.ts";

/** A collection as it is stored, with the figures of one window and of the last hour's mints. */
export type CollectionRow = {
	id: number;
	chainId: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	syncStatus: string;
	lastProviderAt: Date | null;
	revealState: string;
	revealCheckedAt: Date | null;
	revealedAt: Date | null;
	ownersCount: number | null;
	/** Who counted the owners, best source first; null where nobody did. */
	ownersSource: "walk" | "provider" | "recipients" | null;
	listedCount: number | null;
	floorNative: string | null;
	/** The provider knows owners or a floor of it. */
	isTraded: boolean;
	floorUsd: number | null;
	/** The floor of a day ago, or of the nearest time before that is known. */
	floorBefore: string | null;
	maxSupply: string | null;
	totalSupply: string | null;
	/** True where supplies are those of a finished walk. */
	isWalked: boolean;
	/** Units minted in all: by a finished walk, else those that the index saw. */
	mintedSupply: string;
	mintedUnits: string;
	firstMintAt: Date | null;
	lastMintAt: Date | null;
	lastMintTotalRaw: string | null;
	lastMintQuantity: string | null;
	sales: number;
	lastSaleAt: Date | null;
	lastSaleTokenId: string | null;
	lastSaleUnitNative: string | null;
	lastSaleTransaction: Hex | null;
	/** In the window: accepted sales, and the volume of those that have a price. */
	windowSales: number;
	windowVolume: string;
	mints1h: number;
};

const COLUMNS = `c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address,
	c.slug, c.name, c.image_url as "imageUrl", c.sync_status as "syncStatus",
	c.last_provider_at as "lastProviderAt", c.reveal_state as "revealState",
	c.reveal_checked_at as "revealCheckedAt", c.revealed_at as "revealedAt",
	coalesce(o.owners, nullif(c.provider_owners, 0), r.recipients) as "ownersCount",
	case when o.owners is not null then 'walk' when c.provider_owners > 0 then 'provider'
		when r.recipients is not null then 'recipients' end as "ownersSource",
	c.listed_count as "listedCount",
	c.floor_native as "floorNative", ${tradedSql} as "isTraded", c.floor_usd as "floorUsd",
	floor_before.floor_native as "floorBefore", c.max_supply as "maxSupply",
	case when o.owners is not null then greatest(o.minted - o.burned, 0)
		when coalesce(c.total_supply, c.provider_supply) is null or c.mints = c.supply_mints
			then coalesce(c.total_supply, c.provider_supply)
		else greatest(coalesce(c.total_supply, c.provider_supply), c.minted_units)
		end as "totalSupply",
	o.owners is not null as "isWalked",
	coalesce(o.minted, c.minted_units) as "mintedSupply",
	c.minted_units as "mintedUnits",
	c.first_mint_at as "firstMintAt", c.last_mint_at as "lastMintAt",
	c.last_mint_total_raw as "lastMintTotalRaw", c.last_mint_quantity as "lastMintQuantity",
	c.sales, c.last_sale_at as "lastSaleAt", c.last_sale_token_id as "lastSaleTokenId",
	c.last_sale_unit_native as "lastSaleUnitNative",
	'0x' || encode(c.last_sale_transaction, 'hex') as "lastSaleTransaction"`;

/** A walk speaks when it is done; one that found no mint has read a contract that tells nothing. */
const OWNERS = `left join market_index.ownership as o on o.collection_id = picked.id
			and o.next_block > o.end_block and o.minted > 0
		left join market_index.recipients as r on r.collection_id = picked.id`;

/**
 * The rest of a statement whose `picked (id)` chose collections: each one's row and figures. They
 * are read by the rollups' primary keys for those picked only, whatever else the chain has.
 */
export function collectionRows(
	binder: Binder,
	options: { picked: string; nowMs: number; window?: Window; orderBy: string },
): string {
	const { picked, nowMs, orderBy } = options;
	const window = options.window ?? windowOf(nowMs, WINDOW_MS["24h"]);
	return `${picked}
		select ${COLUMNS}, f.sales as "windowSales", f.volume as "windowVolume",
			m.mints as "mints1h"
		from picked
		${rowOf("picked.id")}
		${OWNERS}
		${floorBefore(binder, nowMs)}
		cross join lateral (
			select coalesce(sum(sales), 0)::int8 as sales, coalesce(sum(volume), 0) as volume
			from (${sumsSince(binder, window, "c.id")}) as rollup
		) as f
		cross join lateral (
			select coalesce(sum(mints), 0)::int8 as mints
			from (${sumsSince(binder, windowOf(nowMs, WINDOW_MS["1h"]), "c.id")}) as rollup
		) as m
		order by ${orderBy}`;
}
