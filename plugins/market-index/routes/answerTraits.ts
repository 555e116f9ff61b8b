import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readTraitPage } from "#plugins/market-index/tokens/sql/readTraitPage.ts";
import { readTraitsAt } from "#plugins/market-index/tokens/sql/readTraitsAt.ts";

const traits = createCursor("traits2", [CURSOR_PART.longText, CURSOR_PART.longText]);

/**
 * Returns a page of a collection's traits; `data` is null until they were counted once. Floors of
 * traits are made from the whole book, which is read while its collection is looked at.
 */
export async function answerTraits(
	{ core, index }: Pick<RouteContext, "core" | "index">,
	found: FoundCollection,
	query: { type?: string | undefined; cursor?: string | undefined; limit: number },
) {
	const { chain, address } = found;
	const cursors = traits.of({ chain, address, type: query.type });
	index.touch(found.id, "detail");
	const read = await readTraitPage(core.db, {
		collectionId: found.id,
		type: query.type ?? null,
		after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
		limit: query.limit + 1,
	});
	if (read.length === 0 && (await readTraitsAt(core.db, found.id)) === null) {
		return { data: null, page: { nextCursor: null, hasMore: false } };
	}
	const shown = read.slice(0, query.limit);
	const last = shown.at(-1);
	const hasMore = read.length > query.limit;
	return {
		data: shown.map(({ type, value, tokens, floorNative }) => ({
			type,
			value,
			count: tokens,
			floorNative: displayNative(floorNative),
		})),
		page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
	};
}

function partsOf({ type, value }: { type: string; value: string }): string[] {
	return [type, value].map((text) => Buffer.from(text).toString("hex"));
}

function placeOf(parts: readonly string[]): { type: string; value: string } {
	const [type = "", value = ""] = parts.map((hex) =>
		new TextDecoder().decode(Buffer.from(hex, "hex")),
	);
	// No stored text contains NUL, and the database would refuse it.
	const known = (text: string) => text.replaceAll("\u0000", "");
	return { type: known(type), value: known(value) };
}
