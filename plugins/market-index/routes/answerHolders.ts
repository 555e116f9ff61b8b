import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { readHolders } from "#plugins/market-index/owners/readHolders.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";

const holders = createCursor("holders2", [CURSOR_PART.count, CURSOR_PART.address]);

/** Returns a page of a collection's holders; `data` is null until its walk is done. */
export async function answerHolders(
	{ core }: Pick<RouteContext, "core">,
	found: FoundCollection,
	query: { cursor?: string | undefined; limit: number },
) {
	const cursors = holders.of({ chain: found.chain, address: found.address });
	const [units, owner] = query.cursor === undefined ? [] : cursors.decode(query.cursor);
	const after =
		units === undefined || owner === undefined
			? null
			: { units: BigInt(units), owner: `0x${owner.slice(2)}` as const };
	const read = await readHolders(core.db, {
		collectionId: found.id,
		limit: query.limit + 1,
		after,
	});
	if (!read) return { data: null, page: { nextCursor: null, hasMore: false } };
	const shown = read.slice(0, query.limit);
	const last = shown.at(-1);
	const hasMore = read.length > query.limit;
	const nextCursor = hasMore && last ? cursors.encode([String(last.units), last.owner]) : null;
	return {
		data: shown.map((one) => ({ address: one.owner, units: one.units.toString() })),
		page: { nextCursor, hasMore },
	};
}
