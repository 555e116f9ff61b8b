import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";
import { chainOfRow } from "#plugins/market-index/read/chainOfRow.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";
import type { SearchHit } from "#plugins/market-index/schemas/searchHitSchema.ts";
import { searchTerms } from "#plugins/market-index/search/searchTerms.ts";
import { ownBySlug } from "#plugins/market-index/search/sql/ownBySlug.ts";
import {
	type HitPlace,
	searchCollections,
} from "#plugins/market-index/search/sql/searchCollections.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";
import type { ProviderSearchHit } from "#plugins/provider/contract.ts";

const { count } = CURSOR_PART;
const cursors = createCursor("search1", [count, count, count]);
const INT4_MAX = 2_147_483_647;

export type SearchPage = {
	data: SearchHit[];
	page: { nextCursor: string | null; hasMore: boolean };
};

/**
 * A page of what a query finds: our own collections, and on the first page what the provider finds
 * beside them. A hit of the provider's is ours where our index holds its slug on one of the chains;
 * one whose chain nobody knows is told only to those who did not ask for a chain.
 */
export async function readSearch(
	{ core, lists }: Pick<RouteContext, "core" | "lists">,
	query: {
		text: string;
		chains: readonly Chain[];
		isOneChain: boolean;
		limit: number;
		cursor: string | undefined;
	},
): Promise<SearchPage> {
	const { text, chains, limit, cursor } = query;
	const chainIds = chains.map(({ id }) => id);
	const [found, hits] = await Promise.all([
		searchCollections(core.db, {
			chainIds,
			terms: searchTerms(text),
			address: addressOf(text),
			slug: text.trim().toLowerCase(),
			after: cursor === undefined ? null : placeOf(cursors.decode(cursor)),
			limit: limit + 1,
		}),
		cursor === undefined ? lists.search(text, query.isOneChain ? chainIds[0] : undefined) : [],
	]);
	const shown = found.slice(0, limit);
	const hasMore = found.length > limit;
	const last = shown.at(-1);
	const held = await ownBySlug(core.db, { chainIds, slugs: hits.map(({ slug }) => slug) });
	const more = held.filter(({ id, excluded }) => !excluded && !shown.some((own) => own.id === id));
	const room = limit - shown.length;
	const ids = [...shown, ...more.slice(0, room)].map(({ id }) => id);
	const nowMs = core.clock.nowMs();
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	const rows = await readCollections(core.db, { collectionIds: ids, nowMs, window });
	await lists.found(ids);
	const known = new Set(held.map(({ slug }) => slug));
	const strangers = query.isOneChain ? [] : hits.filter(({ slug }) => !known.has(slug));
	return {
		data: [
			...rows.map((row) => ownHit(chainOfRow(chains, row), row)),
			...strangers.slice(0, limit - rows.length).map(strangerHit),
		],
		page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
	};
}

function ownHit(chain: Chain, row: CollectionRow): SearchHit {
	return {
		slug: row.slug,
		chain: chain.slug,
		contractAddress: row.address,
		name: row.name,
		imageUrl: row.imageUrl,
		floorNative: displayFloor(row.floorNative),
		volume24hNative: displayVolume(row.windowVolume, row.windowSales),
		sales24h: row.windowSales,
		ownersCount: row.ownersCount,
		source: "svc_index",
	};
}

function strangerHit({ slug, name, imageUrl }: ProviderSearchHit): SearchHit {
	return {
		slug,
		chain: null,
		contractAddress: null,
		name,
		imageUrl,
		floorNative: null,
		volume24hNative: null,
		sales24h: null,
		ownersCount: null,
		source: "provider",
	};
}

function addressOf(text: string): Address | null {
	const address = text.trim().toLowerCase();
	return /^0x[0-9a-f]{40}$/.test(address) ? `0x${address.slice(2)}` : null;
}

function partsOf({ isExact, volume, id }: HitPlace): string[] {
	return [isExact ? "1" : "0", volume, String(id)];
}

function placeOf([isExact, volume, id]: string[]): HitPlace {
	return {
		isExact: isExact === "1",
		volume: volume ?? "0",
		id: Math.min(Number(id), INT4_MAX),
	};
}
