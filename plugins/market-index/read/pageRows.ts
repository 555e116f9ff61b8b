import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import type { DiscoveryList, ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { interleave } from "#plugins/market-index/discovery/interleave.ts";
import { resolveListed } from "#plugins/market-index/discovery/sql/resolveListed.ts";
import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";

export type PageRowsQuery = {
	chains: readonly Chain[];
	mode: ListMode;
	limit: number;
	nowMs: number;
};

/** One of our rows: in its place in the provider's list, or after the end of that list. */
export type PageRow =
	| { kind: "listed"; listed: ListedRow; own: CollectionRow }
	| { kind: "own"; own: CollectionRow };

export type PageRows = {
	/** Listed rows first, in the provider's order. */
	rows: PageRow[];
	/** When the oldest list of the page was read; null without any. */
	refreshedAtMs: number | null;
};

/**
 * Returns the rows of a page of collections: the provider's list as far as our index has it on
 * these chains, each row with our own figures, and our own rows after it until the page is full.
 *
 * A listed collection on none of these chains has no figures of ours, and is on no page.
 */
export async function pageRows(
	context: { db: Queryable; lists: ListSource },
	query: PageRowsQuery,
): Promise<PageRows> {
	const { db, lists } = context;
	const { chains, mode, limit, nowMs } = query;
	const read = await Promise.all(chains.map((chain) => lists.listFor({ chain, mode })));
	const found = read.flatMap((list) => list ?? []);
	const chainIds = chains.map(({ id }) => id);
	const listed = (await ownListed(db, { chainIds, found })).slice(0, limit);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	const ids = listed.map(({ id }) => id);
	// As many as the whole page, because each of them may be among those listed.
	const ours =
		ids.length < limit
			? await listCollections(db, { chainIds, nowMs, window, order: mode, limit })
			: [];
	const more = ours.filter(({ id }) => !ids.includes(id)).slice(0, limit - ids.length);
	const isCold = !read.every((list) => list?.isWarm);
	if (isCold) await lists.complete([...listed, ...more.map(({ id }) => ({ id, listed: null }))]);
	// Figures that were just filled are shown at once.
	const asked = isCold ? [...ids, ...more.map(({ id }) => id)] : ids;
	const rows = await readCollections(db, { collectionIds: asked, nowMs, window });
	const own = new Map(rows.map((row) => [row.id, row]));
	return {
		rows: [
			...listed.flatMap(({ id, listed }): PageRow[] => {
				const row = own.get(id);
				return row ? [{ kind: "listed", listed, own: row }] : [];
			}),
			...more.map((row): PageRow => ({ kind: "own", own: own.get(row.id) ?? row })),
		],
		refreshedAtMs: found.length === 0 ? null : Math.min(...found.map((list) => list.refreshedAtMs)),
	};
}

/**
 * Returns listed rows that are collections of ours on these chains, each once: two chains' lists
 * may name the same one, by its contract or by its slug.
 */
async function ownListed(
	db: Queryable,
	{ chainIds, found }: { chainIds: readonly number[]; found: readonly DiscoveryList[] },
): Promise<{ id: number; listed: ListedRow }[]> {
	const resolved = await resolveListed(db, interleave(found.map(({ rows }) => rows)));
	const held = new Map<number, ListedRow>();
	for (const { own, listed } of resolved) {
		if (!own || own.excluded || !chainIds.includes(own.chainId)) continue;
		if (!held.has(own.id)) held.set(own.id, listed);
	}
	return [...held].map(([id, listed]) => ({ id, listed }));
}
