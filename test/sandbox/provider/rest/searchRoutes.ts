// Answers the provider's routes of keys, drops and search.

import { type Address, encodeFunctionData, toHex, zeroAddress } from "viem";
import { z } from "zod";
import { tokenAbi } from "../../knownContracts.ts";
import type { Collection, MintTerms } from "../market/Market.ts";
import {
	type Asked,
	addressOf,
	CHAIN,
	choiceOf,
	collectionBySlug,
	hasOurChain,
	limitOf,
	type Office,
	pageOf,
	Refusal,
	type Route,
	readCursor,
} from "./Office.ts";

type Drop = { collection: Collection; mint: MintTerms; isMinting: boolean; position: number[] };

/** Gives a key to every caller; see `answerRequest` for its 201. */
export const authRoutes: readonly Route[] = [
	{
		method: "POST",
		path: "/auth/keys",
		answer: ({ office }) => ({
			api_key: "sandbox",
			name: "sandbox",
			expires_at: new Date((office.market().head.timeS + 7 * 86_400) * 1_000).toISOString(),
			rate_limits: { read: "600/h", write: "30/h", fulfillment: "5/m" },
			upgrade_url: office.publicUrl,
		}),
	},
];

const Mint = z.object({ minter: z.string(), quantity: z.int().min(1).max(100) });
const MAX_PER_WALLET = "100";
const STAGE_LENGTH_MS = 30 * 86_400_000;

/** Routes of collections that can be minted, or could until they were sold out. */
export const dropRoutes: readonly Route[] = [
	{ method: "GET", path: "/drops", answer: list },
	{
		method: "GET",
		path: "/drops/:slug",
		answer({ office, params: [slug] }) {
			const drop = dropOf(collectionBySlug(office, slug));
			if (!drop) throw new Refusal(404, `Drop ${slug} not found`);
			const { collection, mint } = drop;
			return {
				...renderDrop(office, drop),
				stages: [stageOf(drop)],
				total_supply: String(collection.units),
				...(mint.maxSupply !== null && { max_supply: String(mint.maxSupply) }),
			};
		},
	},
	{ method: "POST", path: "/drops/:slug/mint", answer: mint },
];

/**
 * Routes of the search: one list of all kinds, best first; no paging, collections without
 * contracts.
 */
export const searchRoutes: readonly Route[] = [{ method: "GET", path: "/search", answer: search }];

function list({ office, query }: Asked): unknown {
	const type = choiceOf(query, "type", ["featured", "upcoming", "recently_minted"]);
	const all = hasOurChain(query) ? [...office.market().collections.values()] : [];
	const drops = all.flatMap((collection) => dropOf(collection) ?? []);
	// Pages are cut before they are filtered: one may be empty and still have a next.
	if (type === "upcoming") {
		const isFirst = !query.get("cursor");
		if (!isFirst) readCursor(query.get("cursor") ?? "");
		return { drops: [], ...(isFirst && { next: Buffer.from("[0]").toString("base64url") }) };
	}
	const wanted = drops
		.filter(({ isMinting }) => isMinting === (type === "featured"))
		.sort((a, b) => (a.position[0] ?? 0) - (b.position[0] ?? 0));
	const page = pageOf(wanted, {
		query,
		cursorName: "cursor",
		limitDefault: 20,
		limitMax: 100,
		position: ({ position }) => position,
	});
	return {
		drops: page.items.map((drop) => renderDrop(office, drop)),
		...(page.next && { next: page.next }),
	};
}

/** Returns the drop; null for a collection that its contract never sold. */
function dropOf(collection: Collection): Drop | null {
	const { facts, units, createdS } = collection;
	const { mint: terms } = facts;
	if (terms === null) return null;
	const isMinting = terms.maxSupply === null || units < terms.maxSupply;
	return {
		collection,
		mint: terms,
		isMinting,
		position: [-createdS, Number(BigInt(facts.address) % 1_000_003n)],
	};
}

function mint({ office, params: [slug], body }: Asked): unknown {
	const drop = dropOf(collectionBySlug(office, slug));
	if (!drop) throw new Refusal(404, `Drop ${slug} not found`);
	const asked = Mint.safeParse(body);
	if (!asked.success) throw new Refusal(400, "Invalid mint request");
	const { collection, isMinting } = drop;
	if (!isMinting) throw new Refusal(409, "Drop is not active");
	const quantity = BigInt(asked.data.quantity);
	const left = drop.mint.maxSupply === null ? quantity : drop.mint.maxSupply - collection.units;
	if (quantity > left) throw new Refusal(422, "Supply exhausted");
	return {
		to: collection.facts.address,
		data: mintData(collection, addressOf(asked.data.minter), quantity),
		value: toHex(drop.mint.priceRaw * quantity),
		chain: CHAIN,
	};
}

function mintData({ facts, ids }: Collection, minter: Address, quantity: bigint): string {
	if (facts.standard === "erc721") {
		const args = [minter, quantity] as const;
		return encodeFunctionData({ abi: tokenAbi, functionName: "mint", args });
	}
	const args = [minter, ids[0] ?? 1n, quantity] as const;
	return encodeFunctionData({ abi: tokenAbi, functionName: "mint", args });
}

function renderDrop(office: Office, drop: Drop): Record<string, unknown> {
	const { slug, facts } = drop.collection;
	return {
		collection_slug: slug,
		collection_name: facts.name,
		chain: CHAIN,
		contract_address: facts.address,
		drop_type: facts.standard === "erc721" ? "seadrop_v1_erc721" : "seadrop_v2_erc1155_self_mint",
		is_minting: drop.isMinting,
		...(facts.image !== null && { image_url: facts.image }),
		opensea_url: `${office.publicUrl}/collection/${slug}/drop`,
		...(drop.isMinting && { active_stage: stageOf(drop) }),
	};
}

function stageOf({ collection, mint: terms, isMinting }: Drop): Record<string, unknown> {
	const startMs = collection.createdS * 1_000;
	const last = collection.events.findLast(({ type }) => type === "mint");
	const endMs = isMinting ? startMs + STAGE_LENGTH_MS : (last?.timeS ?? 0) * 1_000;
	const id = collection.facts.address.slice(2, 14);
	return {
		uuid: `00000000-0000-4000-8000-${id}`,
		stage_type: "public_sale",
		label: "Public",
		price: String(terms.priceRaw),
		price_currency_address: zeroAddress,
		start_time: new Date(startMs).toISOString(),
		end_time: new Date(endMs).toISOString(),
		max_per_wallet: MAX_PER_WALLET,
	};
}

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
