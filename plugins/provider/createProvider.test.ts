import { describe, expect, test } from "bun:test";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { providerLab } from "#plugins/provider/testing/providerLab.ts";
import { rows } from "#plugins/provider/testing/rows.ts";

const request = { purpose: "request" } as const;
const CAT: Address = "0x00000000000000000000000000000000000000c1";
const ALICE: Address = "0x00000000000000000000000000000000000000a1";
const SEAPORT: Address = "0x0000000000000068f116a894984e2db1123eb395";
const HASH: Hex = `0x${"ab".repeat(32)}`;

/** Answers every call with one body, and returns the answer with the requests. */
async function asked<Answer>(
	body: unknown,
	call: (provider: ReturnType<typeof providerLab>["provider"]) => Promise<Answer>,
) {
	using lab = providerLab(() => Response.json(body));
	const answer = await call(lab.provider);
	const sent = lab.seen[0];
	return {
		answer,
		url: decodeURIComponent(`${sent?.path}${sent?.query}`),
		body: sent?.body ? JSON.parse(sent.body) : null,
		path: sent?.path,
		lines: lab.lines,
	};
}

describe("lists of collections", () => {
	const body = { collections: [rows.collection()], next: "abc" };

	test("[MRG-06] newest first, on a chain as the provider spells it", async () => {
		const { url, answer } = await asked(body, (provider) =>
			provider.newest({ ...request, chainId: 33_139, cursor: "x+y=", limit: 20 }),
		);
		expect(url).toBe(
			"/api/v2/collections?order_by=created_date&chain=ape_chain&limit=20&next=x+y=",
		);
		expect(answer.cursor).toBe("abc");
		expect(answer.items[0]).toEqual({
			slug: "cats",
			name: "Cats",
			description: "Many cats.",
			imageUrl: "https://img.example/cats.png",
			bannerImageUrl: "https://img.example/banner.png",
			projectUrl: "https://cats.example",
			isDisabled: false,
			contracts: [{ chainId: 8453, address: CAT }],
			raw: rows.collection(),
		});
	});

	test("trending and top page with `cursor`, and ask for the largest page", async () => {
		const trending = await asked(body, (provider) =>
			provider.trending({ ...request, chainId: 988, timeframe: "one_hour", limit: 1_000 }),
		);
		expect(trending.url).toBe(
			"/api/v2/collections/trending?chains=stablechain&timeframe=one_hour&limit=100",
		);
		const top = await asked(body, (provider) => provider.top({ ...request, cursor: "c" }));
		expect(top.url).toBe("/api/v2/collections/top?cursor=c&sort_by=one_day_volume&limit=50");
	});

	test("no cursor and an empty one end the list", async () => {
		for (const next of ["", undefined, null, false]) {
			const { answer } = await asked({ ...body, next }, (provider) =>
				provider.top({ ...request, cursor: "same" }),
			);
			expect(answer.cursor).toBeNull();
			expect(answer.isBroken).toBeUndefined();
		}
	});

	test("a cursor that leads to itself, or cannot be read, is no end: the list is broken", async () => {
		for (const next of ["same", 7, {}, "x".repeat(5_000)]) {
			const { answer } = await asked({ ...body, next }, (provider) =>
				provider.top({ ...request, cursor: "same" }),
			);
			expect(answer).toMatchObject({ cursor: null, isBroken: true });
		}
	});

	test("an empty page may have a next one", async () => {
		const { answer } = await asked({ drops: [], next: "more" }, (provider) =>
			provider.drops({ ...request, type: "featured" }),
		);
		expect(answer).toEqual({ items: [], cursor: "more" });
	});

	test("a search finds collections alone", async () => {
		const results = [
			{ type: "token", token: { name: "x" } },
			{ type: "collection", collection: { collection: "cats", name: "Cats", is_disabled: true } },
		];
		const { answer, url } = await asked({ results }, (provider) =>
			provider.search("cats & dogs", { ...request, chainId: 137 }),
		);
		expect(url).toBe(
			"/api/v2/search?query=cats+&+dogs&asset_types=collection&chains=polygon&limit=50",
		);
		expect(answer).toEqual([{ slug: "cats", name: "Cats", imageUrl: null, isDisabled: true }]);
	});
});

describe("one collection", () => {
	test("its slug by contract, null where it has none", async () => {
		const contract = { chainId: 80_094, address: CAT };
		const known = await asked({ address: CAT, collection: "cats" }, (provider) =>
			provider.slugOf(contract, request),
		);
		expect(known.url).toBe(`/api/v2/chain/bera_chain/contract/${CAT}`);
		expect(known.answer).toBe("cats");
		const none = await asked({ address: CAT }, (provider) => provider.slugOf(contract, request));
		expect(none.answer).toBeNull();
	});

	test("its details", async () => {
		const detail = rows.collection({
			total_supply: 10_000,
			created_date: "2025-06-01",
			fees: [
				{ fee: 2.5, recipient: ALICE, required: true },
				{ fee: 101, recipient: ALICE, required: true },
				{ fee: "x" },
			],
		});
		const { answer, url } = await asked(detail, (provider) => provider.collection("cats", request));
		expect(url).toBe("/api/v2/collections/cats");
		expect(answer).toMatchObject({
			slug: "cats",
			totalSupply: 10_000n,
			createdAtMs: Date.UTC(2025, 5, 1),
			fees: [{ percent: 2.5, recipient: ALICE, isRequired: true }],
		});
	});

	test("its stats, traits and their floors", async () => {
		const stats = await asked(rows.stats(), (provider) => provider.stats("cats", request));
		expect(stats.url).toBe("/api/v2/collections/cats/stats");
		expect(stats.answer).toMatchObject({ floor: { value: 0.02, symbol: "ETH" }, owners: 2 });
		const counts = { categories: { Fur: "string" }, counts: { Fur: { Red: 4 } } };
		const traits = await asked(counts, (provider) => provider.traits("cats", request));
		expect(traits.url).toBe("/api/v2/traits/cats");
		expect(traits.answer).toEqual([{ type: "Fur", values: [{ value: "Red", count: 4 }] }]);
		const floors = [
			{ trait_type: "Fur", value: "Red", floor_price: 0.5, payment_token_symbol: "ETH" },
			{ trait_type: "Fur", value: "Blue", floor_price: 0, payment_token_symbol: "" },
		];
		const floor = await asked({ chain: "base", floors }, (provider) =>
			provider.traitFloors("cats", request),
		);
		expect(floor.url).toBe("/api/v2/traits/cats/floors");
		expect(floor.answer).toEqual([{ type: "Fur", value: "Red", floor: 0.5, symbol: "ETH" }]);
	});

	test("what the provider does not know is null, or a page that says so", async () => {
		using lab = providerLab(() => Response.json({ errors: ["Not found"] }, { status: 404 }));
		const { provider } = lab;
		expect(await provider.collection("x", request)).toBeNull();
		expect(await provider.stats("x", request)).toBeNull();
		expect(await provider.traitFloors("x", request)).toBeNull();
		const unknown = { items: [], cursor: null, isUnknown: true };
		expect(await provider.listings("x", request)).toEqual(unknown);
		expect(await provider.events("x", request)).toEqual(unknown);
		expect(lab.lines).toEqual([]);
	});

	test("a slug cannot lead to another path", async () => {
		const odd = await asked(rows.stats(), (provider) => provider.stats("a/../b?c#d%2e", request));
		expect(odd.path).toBe("/api/v2/collections/a%2F..%2Fb%3Fc%23d%252e/stats");
		using lab = providerLab(() => Response.json(rows.stats()));
		for (const slug of ["", ".", ".."]) {
			await expect(lab.provider.stats(slug, request)).rejects.toMatchObject({
				code: "provider_refused",
			});
		}
		expect(lab.seen).toEqual([]);
	});
});

describe("events, orders and tokens", () => {
	test("[MRG-01] events between two times, of several types", async () => {
		const asset_events = [rows.sale(), rows.sale({ chain: "solana", seller: "So1ana" })];
		const { url, answer, lines } = await asked({ asset_events }, (provider) =>
			provider.events("cats", {
				...request,
				types: ["sale", "item_offer"],
				afterMs: 1_500,
				beforeMs: 2_500,
			}),
		);
		expect(url).toBe(
			"/api/v2/events/collection/cats?after=1&before=3&event_type=sale&event_type=offer&limit=200",
		);
		expect(answer.items).toHaveLength(1);
		expect(lines).toEqual([]);
	});

	test("[MRG-01] the order book and its best", async () => {
		const listings = await asked({ listings: [rows.listing()] }, (provider) =>
			provider.listings("cats", { ...request, limit: 10 }),
		);
		expect(listings.url).toBe("/api/v2/listings/collection/cats/all?limit=10");
		expect(listings.answer.items[0]).toMatchObject({ kind: "listing", totalRaw: 1_000n });
		const best = await asked({ listings: [rows.listing()] }, (provider) =>
			provider.bestListings("cats", request),
		);
		expect(best.url).toBe("/api/v2/listings/collection/cats/best?limit=200");
		const offers = await asked({ offers: [rows.offer()] }, (provider) =>
			provider.offers("cats", request),
		);
		expect(offers.url).toBe("/api/v2/offers/collection/cats/all?limit=200");
		expect(offers.answer.items[0]).toMatchObject({ kind: "item_offer", totalRaw: 1_000n });
		const one = await asked(rows.listing(), (provider) =>
			provider.bestListing("cats", 7n, request),
		);
		expect(one.url).toBe("/api/v2/listings/collection/cats/nfts/7/best");
		expect(one.answer?.tokenId).toBe(7n);
		const none = await asked({}, (provider) => provider.bestListing("cats", 7n, request));
		expect(none.answer).toBeNull();
	});

	test("one order, which may be an offer, and may be gone", async () => {
		const order = { chainId: 8453, protocolAddress: SEAPORT, orderHash: HASH };
		const { answer, url } = await asked({ order: rows.offer() }, (provider) =>
			provider.order(order, request),
		);
		expect(url).toBe(`/api/v2/orders/chain/base/protocol/${SEAPORT}/${HASH}`);
		expect(answer).toMatchObject({ side: "offer", orderHash: HASH });
		using lab = providerLab(() => Response.json({ errors: ["Order not found"] }, { status: 400 }));
		expect(await lab.provider.order(order, request)).toBeNull();
	});

	test("tokens, alone and in pages", async () => {
		const token = { chainId: 8453, address: CAT, tokenId: 2n ** 255n };
		const one = await asked({ nft: rows.nft({ rarity: { rank: 9 } }) }, (provider) =>
			provider.nft(token, request),
		);
		expect(one.url).toBe(`/api/v2/chain/base/contract/${CAT}/nfts/${2n ** 255n}`);
		expect(one.answer).toMatchObject({ chainId: 8453, tokenId: 7n, rank: 9 });
		const nfts = { nfts: [rows.nft()] };
		const page = await asked(nfts, (provider) => provider.nfts({ slug: "cats" }, request));
		expect(page.url).toBe("/api/v2/collection/cats/nfts?limit=200");
		expect(page.answer.items[0]).toMatchObject({ chainId: null, rank: null, tokenId: 7n });
		const contract = { chainId: 8453, address: CAT };
		const ofContract = await asked(nfts, (provider) => provider.nfts(contract, request));
		expect(ofContract.url).toBe(`/api/v2/chain/base/contract/${CAT}/nfts?limit=200`);
		expect(ofContract.answer.items[0]).toMatchObject({ chainId: 8453, tokenId: 7n });
	});

	test("drops, in pages and alone", async () => {
		const list = await asked({ drops: [rows.drop()] }, (provider) =>
			provider.drops({ ...request, type: "upcoming", chainId: 8453, cursor: "c" }),
		);
		expect(list.url).toBe("/api/v2/drops?type=upcoming&chains=base&limit=100&cursor=c");
		const stages = [rows.drop().active_stage, { no: "uuid" }];
		const one = await asked(rows.drop({ stages, max_supply: "500" }), (provider) =>
			provider.drop("cats", request),
		);
		expect(one.url).toBe("/api/v2/drops/cats");
		expect(one.answer).toMatchObject({
			chainId: 8453,
			contract: CAT,
			maxSupply: 500n,
			totalSupply: null,
			stages: [{ priceRaw: 100n, startsAtMs: Date.UTC(2026, 0, 1), maxPerWallet: 10n }],
		});
	});

	test("an order is filled with the members of the document, and a number is read exactly", async () => {
		const text = JSON.stringify({
			protocol: "seaport1.5",
			fulfillment_data: {
				transaction: {
					function: "fulfillBasicOrder((address,uint256))",
					chain: 8453,
					to: SEAPORT,
					value: "VALUE",
					input_data: { parameters: { salt: "1" } },
				},
			},
		}).replace('"VALUE"', "90000000000000000001");
		using lab = providerLab(() => new Response(text));
		const answer = await lab.provider.listingFulfilment(
			{
				chainId: 8453,
				protocolAddress: SEAPORT,
				orderHash: HASH,
				fulfiller: ALICE,
				recipient: ALICE,
				token: { contract: CAT, tokenId: 7n },
				units: 2n,
			},
			request,
		);
		expect(lab.seen[0]).toMatchObject({
			method: "POST",
			path: "/api/v2/listings/fulfillment_data",
		});
		expect(JSON.parse(lab.seen[0]?.body ?? "")).toEqual({
			listing: { hash: HASH, chain: "base", protocol_address: SEAPORT },
			fulfiller: { address: ALICE },
			recipient: ALICE,
			consideration: { asset_contract_address: CAT, token_id: "7" },
			units_to_fill: 2,
		});
		expect(answer?.transaction.valueRaw).toBe(90_000_000_000_000_000_001n);
		expect(answer?.orders).toEqual([]);
	});
});
