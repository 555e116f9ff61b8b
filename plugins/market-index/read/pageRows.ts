import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import type { ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { interleave } from "#plugins/market-index/discovery/interleave.ts";
import type { ListedRow } from "#plugins/market-index/discovery/ListedRow.ts";
import { resolveListed } from "#plugins/market-index/discovery/sql/resolveListed.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/read/windowOf.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";

export type PageRowsQuery = {
	chains: readonly Chain[];
	scope: "chain" | "all";
	mode: ListMode;
	limit: number;
	nowMs: number;
};

/** A row of the provider's list, or one of ours that stands where the provider's list ended. */
export type PageRow =
	| { kind: "listed"; listed: ListedRow; own: CollectionRow | null }
	| { kind: "own"; own: CollectionRow };

export type PageRows = {
	/** Listed rows first, in the provider's order. */
	rows: PageRow[];
	/** When the oldest list of the page was read; null without any. */
	refreshedAtMs: number | null;
};

/**
 * The rows of a page of collections: the provider's list as far as it is in scope, each row with
 * our own figures where we have any, and our own rows behind it until the page is full.
 */
export async function pageRows(
	context: { db: Queryable; lists: ListSource },
	query: PageRowsQuery,
): Promise<PageRows> {
	const { db, lists } = context;
	const { chains, scope, mode, limit, nowMs } = query;
	const read = await Promise.all(chains.map((chain) => lists.listFor({ chain, mode })));
	const found = read.flatMap((list) => list ?? []);
	const chainIds = chains.map(({ id }) => id);
	const resolved = await resolveListed(db, unique(interleave(found.map(({ rows }) => rows))));
	const listed = withoutEmpty(resolved)
		.filter(({ chainId }) => scope === "all" || (chainId !== null && chainIds.includes(chainId)))
		.filter(({ own }) => !own?.excluded)
		.slice(0, limit);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	const ids = listed.flatMap(({ own }) => (own && chainIds.includes(own.chainId) ? own.id : []));
	// As many as the whole page, because each of them may be among those listed.
	const ours =
		ids.length < limit
			? await listCollections(db, { chainIds, nowMs, window, order: mode, limit })
			: [];
	const more = ours.filter(({ id }) => !ids.includes(id)).slice(0, limit - ids.length);
	const moreIds = more.map(({ id }) => id);
	const isCold = !read.every((list) => list?.isWarm);
	if (isCold) {
		const shown = listed.flatMap((row) => {
			return row.own && ids.includes(row.own.id) ? { id: row.own.id, listed: row.listed } : [];
		});
		await lists.complete([...shown, ...moreIds.map((id) => ({ id, listed: null }))]);
	}
	// What was just filled is shown at once.
	const asked = isCold ? [...ids, ...moreIds] : ids;
	const own = new Map(
		(await readCollections(db, { collectionIds: asked, nowMs, window })).map((row) => [
			row.id,
			row,
		]),
	);
	return {
		rows: [
			...listed.map((row): PageRow => {
				return { kind: "listed", listed: row.listed, own: own.get(row.own?.id ?? -1) ?? null };
			}),
			...more.map((row): PageRow => ({ kind: "own", own: own.get(row.id) ?? row })),
		],
		refreshedAtMs: found.length === 0 ? null : Math.min(...found.map((list) => list.refreshedAtMs)),
	};
}

/**
 * A slug of several contracts is in the list of each of their chains: where we hold it on one of
 * them, the others' rows say nothing new, and where on none, once is enough.
 */
function withoutEmpty<Row extends { listed: ListedRow; own: unknown }>(
	rows: readonly Row[],
): Row[] {
	const held = new Set(rows.flatMap(({ listed, own }) => (own ? listed.slug : [])));
	return rows.filter(({ listed, own }) => {
		if (own) return true;
		const isFirst = !held.has(listed.slug);
		held.add(listed.slug);
		return isFirst;
	});
}

/** A collection that two chains' lists name is one row. */
function unique(rows: readonly ListedRow[]): ListedRow[] {
	return [...new Map(rows.map((row) => [`${row.chainId}:${row.slug}`, row])).values()];
}
