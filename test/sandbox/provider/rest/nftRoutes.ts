// Answers the provider's routes of tokens.

import { z } from "zod";
import type { Collection } from "../market/Market.ts";
import {
	type Asked,
	addressOf,
	CHAIN,
	checkChain,
	collectionByContract,
	collectionBySlug,
	type Office,
	pageOf,
	Refusal,
	type Route,
	tokenOf,
	traitFilter,
} from "./Office.ts";
import {
	type Nft,
	ownersOf,
	renderCollectionDetail,
	renderCurrency,
	renderDetailed,
	renderNft,
	renderNfts,
} from "./render.ts";

type Token = { collection: Collection; id: bigint };

const NFT = "/chain/:chain/contract/:address/nfts/:identifier";
const Batch = z.object({
	identifiers: z
		.array(z.object({ chain: z.string(), contract_address: z.string(), token_id: z.string() }))
		.max(50),
});

/** Routes of tokens, their contracts and payment currencies. */
export const nftRoutes: readonly Route[] = [
	{ method: "GET", path: "/collection/:slug/nfts", answer: nftsOfCollection },
	{
		method: "GET",
		path: "/chain/:chain/contract/:address/nfts",
		answer(asked) {
			const [chain, address] = asked.params;
			const collection = collectionByContract(asked.office, { chain, address });
			return nftPage(
				asked,
				collection.ids.map((id) => ({ collection, id })),
			);
		},
	},
	{ method: "GET", path: "/chain/:chain/account/:address/nfts", answer: nftsOfAccount },
	{
		method: "GET",
		path: NFT,
		answer: async (asked) => ({ nft: await detailed(asked.office, tokenAsked(asked)) }),
	},
	{
		method: "GET",
		path: `${NFT}/owners`,
		answer(asked) {
			const { collection, id } = tokenAsked(asked);
			const owners = ownersOf(collection, id).map((owner, n) => ({ owner, n }));
			const page = pageOf(owners, {
				query: asked.query,
				cursorName: "next",
				limitDefault: 50,
				limitMax: 200,
				position: ({ n }) => [n],
			});
			return {
				owners: page.items.map(({ owner }) => owner),
				...(page.next && { next: page.next }),
			};
		},
	},
	{
		method: "GET",
		path: `${NFT}/collection`,
		answer: (asked) => renderCollectionDetail(asked.office, tokenAsked(asked).collection),
	},
	{
		method: "POST",
		path: `${NFT}/refresh`,
		answer(asked) {
			const { collection, id } = tokenAsked(asked);
			asked.office.metadata.forget(collection, { fromId: id, toId: id });
			return "queued";
		},
	},
	{
		method: "POST",
		path: "/nfts/batch",
		async answer({ office, body }) {
			const batch = Batch.safeParse(body);
			if (!batch.success) throw new Refusal(400, "Invalid request");
			const tokens = batch.data.identifiers.flatMap(({ contract_address, token_id }) => {
				const collection = office.market().byAddress.get(addressOf(contract_address));
				const id = /^\d{1,78}$/.test(token_id) ? BigInt(token_id) : -1n;
				return collection?.holders.has(id) ? [{ collection, id }] : [];
			});
			return { nfts: await Promise.all(tokens.map((token) => detailed(office, token))) };
		},
	},
	{
		method: "GET",
		path: "/chain/:chain/contract/:address",
		answer({ office, params: [chain, address] }) {
			const { facts, slug } = collectionByContract(office, { chain, address });
			const { name, standard } = facts;
			const contract = { address: facts.address, chain: CHAIN, collection: slug };
			return { ...contract, contract_standard: standard, name };
		},
	},
	{
		method: "GET",
		path: "/chain/:chain/payment_token/:address",
		answer({ office, params: [chain, address] }) {
			checkChain(chain);
			const currency = office.market().currencies.get(addressOf(address));
			if (!currency || chain !== CHAIN) throw new Refusal(404, "Payment token not found");
			return renderCurrency(office, currency);
		},
	},
	{
		method: "GET",
		path: "/chains",
		answer: ({ office }) => ({
			chains: [
				{
					chain: CHAIN,
					name: "Anvil",
					symbol: "ETH",
					supports_swaps: false,
					block_explorer: "",
					block_explorer_url: office.publicUrl,
				},
			],
		}),
	},
];

async function nftsOfCollection(asked: Asked): Promise<unknown> {
	const { office, params, query } = asked;
	const collection = collectionBySlug(office, params[0]);
	const matches = traitFilter(query);
	let { ids } = collection;
	if (matches) {
		const metadata = await office.metadata.of(collection, ids);
		ids = ids.filter((_, n) => matches(metadata[n]?.traits ?? []));
	}
	return nftPage(
		asked,
		ids.map((id) => ({ collection, id })),
	);
}

function nftsOfAccount(asked: Asked): Promise<unknown> {
	const { office, params, query } = asked;
	checkChain(params[0]);
	const who = addressOf(params[1]);
	const slug = query.get("collection");
	const all = params[0] === CHAIN ? [...office.market().collections.values()] : [];
	const tokens = all
		.filter((collection) => slug === null || collection.slug === slug)
		.flatMap((collection) => collection.ids.map((id) => ({ collection, id })))
		.filter(({ collection, id }) => collection.holders.get(id)?.has(who));
	return nftPage(asked, tokens);
}

/** Returns a page in the order of mints: later mints come last, so no page shifts. */
async function nftPage({ office, query }: Asked, tokens: readonly Token[]): Promise<unknown> {
	const numbered = tokens.map((token, n) => ({ token, n }));
	const page = pageOf(numbered, {
		query,
		cursorName: "next",
		limitDefault: 50,
		limitMax: 200,
		position: ({ n }) => [n],
	});
	const nfts: Nft[] = [];
	const shown = page.items.map(({ token }) => token);
	for (const [collection, own] of Map.groupBy(shown, (token) => token.collection)) {
		nfts.push(
			...(await renderNfts(
				office,
				collection,
				own.map(({ id }) => id),
			)),
		);
	}
	return { nfts, ...(page.next && { next: page.next }) };
}

async function detailed(office: Office, { collection, id }: Token): Promise<Nft> {
	const [metadata] = await office.metadata.of(collection, [id]);
	return renderDetailed(renderNft(office, collection, { id, metadata }), collection, id);
}

function tokenAsked({ office, params: [chain, address, identifier] }: Asked): Token {
	const collection = collectionByContract(office, { chain, address });
	return { collection, id: tokenOf(collection, identifier) };
}
