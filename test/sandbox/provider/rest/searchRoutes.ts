import type { Collection } from "../market/Market.ts";
import { hasOurChain } from "./find.ts";
import { CHAIN, type Office } from "./Office.ts";
import { limitOf } from "./pageOf.ts";
import { Refusal } from "./Refusal.ts";
import type { Asked, Route } from "./Route.ts";

/**
 * Routes of the search: one list of all kinds, best first; no paging, collections without
 * contracts.
 */
export const searchRoutes: readonly Route[] = [{ method: "GET", path: "/search", answer: search }];

async function search({ office, query }: Asked): Promise<unknown> {
	const text = query.get("query")?.trim().toLowerCase();
	if (!text) throw new Refusal(400, "query is required");
	const limit = limitOf(query, { limitDefault: 20, limitMax: 50 });
	const asked = query.getAll("asset_types").flatMap((types) => types.split(","));
	const types = asked.length > 0 ? asked : ["collection", "token"];
	if (!hasOurChain(query)) return { results: [] };
	const all = [...office.market().collections.values()];
	const results: unknown[] = [];
	if (types.includes("collection")) {
		const found = all.filter((collection) => matches(collection, text));
		results.push(...found.sort(byNearness(text)).map((one) => collectionHit(office, one)));
	}
	if (types.includes("nft")) results.push(...(await nftHits(office, all, text)));
	return { results: results.slice(0, limit) };
}

function matches({ slug, facts }: Collection, text: string): boolean {
	return slug.includes(text) || facts.name.toLowerCase().includes(text) || facts.address === text;
}

function byNearness(text: string): (a: Collection, b: Collection) => number {
	const rank = ({ facts }: Collection) => (facts.name.toLowerCase().startsWith(text) ? 0 : 1);
	return (a, b) => rank(a) - rank(b) || b.totals.ether - a.totals.ether;
}

function collectionHit(office: Office, { slug, facts }: Collection): unknown {
	return {
		type: "collection",
		collection: {
			collection: slug,
			name: facts.name,
			...(facts.image !== null && { image_url: facts.image }),
			is_disabled: false,
			is_nsfw: false,
			opensea_url: `${office.publicUrl}/collection/${slug}`,
		},
	};
}

/** Finds tokens by number: "harbor 12" means token 12 of what "harbor" finds. */
async function nftHits(
	office: Office,
	all: readonly Collection[],
	text: string,
): Promise<unknown[]> {
	const [, name, number] = /^(.*?)\s*#?(\d{1,18})$/.exec(text) ?? [];
	if (name === undefined || number === undefined) return [];
	const id = BigInt(number);
	const found = all.filter((one) => matches(one, name.trim()) && one.holders.has(id));
	return await Promise.all(
		found.map(async (collection) => {
			const [metadata] = await office.metadata.of(collection, [id]);
			const { facts, slug } = collection;
			const nft = { identifier: number, collection: slug, contract: facts.address };
			return {
				type: "nft",
				nft: {
					...nft,
					...(metadata?.name != null && { name: metadata.name }),
					...(metadata?.image != null && { image_url: metadata.image }),
					opensea_url: `${office.publicUrl}/item/${CHAIN}/${facts.address}/${id}`,
				},
			};
		}),
	);
}
