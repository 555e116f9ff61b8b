import { type Address, encodeFunctionData, toHex, zeroAddress } from "viem";
import { z } from "zod";
import { tokenAbi } from "../../tokenAbi.ts";
import type { Collection, MintTerms } from "../market/Market.ts";
import { addressOf, choiceOf, collectionBySlug, hasOurChain } from "./find.ts";
import { CHAIN, type Office } from "./Office.ts";
import { pageOf, readCursor } from "./pageOf.ts";
import { Refusal } from "./Refusal.ts";
import type { Asked, Route } from "./Route.ts";

type Drop = { collection: Collection; mint: MintTerms; isMinting: boolean; position: number[] };

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
