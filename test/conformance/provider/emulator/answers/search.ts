import type { Answer } from "#test/conformance/provider/emulator/Asked.ts";
import { limitOf } from "#test/conformance/provider/emulator/paging.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";

/** Collections whose name or slug contains the text; no paging, as the document has none. */
export const searchAll: Answer = (asked) => {
	const text = asked.query.get("query")?.toLowerCase();
	if (!text) throw new Refusal(400, "query is required");
	const chains = asked.query.getAll("chains").flatMap((one) => one.split(","));
	const limit = limitOf(asked, { usual: 20, max: 50 });
	const found = [...asked.world.collections.values()].filter(({ name, slug, places }) => {
		const isThere = chains.length === 0 || places.some(({ chain }) => chains.includes(chain));
		return isThere && (name.toLowerCase().includes(text) || slug.includes(text));
	});
	return {
		results: found.slice(0, limit).map(({ slug, name, imageUrl }) => ({
			type: "collection",
			collection: {
				collection: slug,
				name,
				image_url: imageUrl,
				is_disabled: false,
				is_nsfw: false,
				opensea_url: `https://marketplace.example/collection/${slug}`,
			},
		})),
	};
};
