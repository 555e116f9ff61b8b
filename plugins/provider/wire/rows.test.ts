import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { rows } from "#plugins/provider/testing/rows.ts";
import {
	readCollection,
	readCollectionDetail,
	readDrop,
	readSearchHit,
	readStats,
	readTraitCounts,
	readTraitFloor,
} from "#plugins/provider/wire/collections.ts";
import { readEvent, readNft } from "#plugins/provider/wire/events.ts";
import { readFulfilment, readOrder } from "#plugins/provider/wire/orders.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";

const chains = createChainNames(createChainRegistry(builtinChains));
const { CAT, ALICE, BOB, WETH, HASH, SEAPORT } = rows;

describe("stats", () => {
	const read = (over: Record<string, unknown>) => readStats(rows.stats(over));

	test("[MRG-02] a floor of 0, or without a symbol, is unknown", () => {
		expect(read({ floor_price: 0, floor_price_symbol: "" })).toMatchObject({ floor: null });
		expect(read({ floor_price: 0 })).toMatchObject({ floor: null });
		expect(read({ floor_price_symbol: "" })).toMatchObject({ floor: null });
		expect(read({ floor_price: "0.02" })).toMatchObject({ floor: { value: 0.02, symbol: "ETH" } });
		expect(read({ floor_price: -1 })).toMatchObject({ floor: null });
	});

	test("[MRG-02] no owners, and a volume of 0 beside sales, are unknown", () => {
		expect(read({ num_owners: 0 })).toMatchObject({ owners: null });
		expect(read({ volume: 0 })).toMatchObject({ volumeTotal: null, salesTotal: 3 });
		expect(read({ volume: 0, sales: 0 })).toMatchObject({ volumeTotal: { value: 0 } });
		expect(read({ volume_symbol: "" })).toMatchObject({ volumeTotal: null });
		expect(readStats({ total: {} })).toMatchObject({ floor: null, owners: null, salesTotal: null });
		expect(readStats({})).toBe("unreadable");
	});
});

describe("collections", () => {
	const read = (over: Record<string, unknown>) => readCollection(rows.collection(over), chains);

	test("[MRG-06] a collection is read with no chain or several, and without unknown chains", () => {
		expect(read({ contracts: [] })).toMatchObject({ contracts: [] });
		expect(read({ contracts: null })).toMatchObject({ contracts: [] });
		const contracts = ["base", "matic", "ape_chain", "solana", "base"].map((chain) => ({
			address: CAT.toUpperCase().replace("0X", "0x"),
			chain,
		}));
		expect(read({ contracts })).toMatchObject({
			contracts: [
				{ chainId: 8453, address: CAT },
				{ chainId: 137, address: CAT },
				{ chainId: 33_139, address: CAT },
			],
		});
		const broken = [null, "x", {}, { address: "0x1", chain: "base" }];
		expect(read({ contracts: broken })).toMatchObject({ contracts: [] });
	});

	test("[MRG-15] names with control characters or markup become one clean line of text", () => {
		expect(read({ name: "Evil\u0000\u202e\n<b>Cats</b>" })).toMatchObject({
			name: "Evil <b>Cats</b>",
		});
		expect(read({ name: { first: "x" }, image_url: "javascript:x" })).toMatchObject({
			name: null,
			imageUrl: null,
		});
	});

	test("a missing member of a detail is null, and a given 0 is 0", () => {
		const unknown = { totalSupply: null, fees: [], createdAtMs: null };
		expect(readCollectionDetail(rows.collection(), chains)).toMatchObject(unknown);
		const zero = rows.collection({ total_supply: 0 });
		expect(readCollectionDetail(zero, chains)).toMatchObject({ totalSupply: 0n });
	});
});

describe("tokens", () => {
	const read = (over: Record<string, unknown>) => readNft(rows.nft(over), { chainId: null });

	test("[MRG-15] a trait's value becomes text; a value that is an object is left out", () => {
		const values = ["Red", 7, true, { a: 1 }, ["x"], null, "", "\u200b"];
		const traits = values.map((value, index) => ({ trait_type: `t${index}`, value }));
		expect(read({ traits: [...traits, null, "x", { value: "no type" }] })).toMatchObject({
			traits: [
				{ type: "t0", value: "Red" },
				{ type: "t1", value: "7" },
				{ type: "t2", value: "true" },
			],
		});
		expect(read({ traits: null })).toMatchObject({ traits: [] });
	});

	test("a token's chain is the requested one, never one from a page's URL", () => {
		const onPolygon = `https://opensea.io/assets/matic/${CAT}/7`;
		expect(read({ opensea_url: onPolygon })).toMatchObject({ chainId: null, tokenId: 7n });
		expect(read({ opensea_url: undefined })).toMatchObject({ chainId: null, tokenId: 7n });
		const asked = readNft(rows.nft({ opensea_url: onPolygon }), { chainId: 1 });
		expect(asked).toMatchObject({ chainId: 1, contract: CAT, tokenId: 7n });
	});

	test("a missing picture is replaced by another of the token's, and an unknown standard is null", () => {
		expect(read({ image_url: null, display_image_url: "https://x.example/d.png" })).toMatchObject({
			imageUrl: "https://x.example/d.png",
		});
		expect(read({ token_standard: "ERC1155" })).toMatchObject({ standard: "erc1155" });
		expect(read({ token_standard: "metaplex" })).toMatchObject({ standard: null });
		expect(read({ contract: "So1ana" })).toBe("elsewhere");
		expect(read({ identifier: "x" })).toBe("unreadable");
	});
});

describe("events", () => {
	test("a sale has its total, its currency and its token on the event's chain", () => {
		expect(readEvent(rows.sale(), chains)).toMatchObject({
			type: "sale",
			occurredAtMs: 1_767_225_600_000,
			chainId: 8453,
			transactionHash: HASH,
			quantity: 1n,
			payment: { totalRaw: 1_000n, decimals: 18, symbol: "ETH" },
			nft: { chainId: 8453, tokenId: 7n },
			seller: ALICE,
			buyer: BOB,
		});
	});

	test("the currency is null without an address, and the payment is null if it cannot be read", () => {
		const payment = { quantity: "1160000000000000000", decimals: 18, symbol: "WAPE" };
		expect(readEvent(rows.sale({ payment }), chains)).toMatchObject({
			payment: { totalRaw: 1_160_000_000_000_000_000n, currency: null },
		});
		for (const none of [null, "x", { quantity: "1e18" }, { quantity: -1 }]) {
			expect(readEvent(rows.sale({ payment: none }), chains)).toMatchObject({ payment: null });
		}
	});

	test("a mint is recognised by its event type or its transfer type", () => {
		expect(readEvent(rows.transfer(), chains)).toMatchObject({ type: "transfer", from: ALICE });
		const mint = { type: "mint" };
		expect(readEvent(rows.transfer({ transfer_type: "mint" }), chains)).toMatchObject(mint);
		expect(readEvent(rows.transfer({ event_type: "mint" }), chains)).toMatchObject(mint);
	});

	test("an order event has its kind, in the new format and in the old one", () => {
		const order = (event_type: string, order_type?: string) =>
			readEvent(
				{ ...rows.sale(), event_type, order_type, maker: ALICE, asset: rows.nft() },
				chains,
			);
		expect(order("listing")).toMatchObject({ type: "listing", maker: ALICE, nft: { tokenId: 7n } });
		expect(order("offer", "item_offer")).toMatchObject({ type: "item_offer" });
		expect(order("offer")).toMatchObject({ type: "item_offer" });
		expect(order("order", "trait_offer")).toMatchObject({ type: "trait_offer" });
		expect(order("collection_offer")).toMatchObject({ type: "collection_offer" });
		expect(order("order")).toBe("unreadable");
	});

	test("an event on another chain is left out, and a broken one is counted", () => {
		expect(readEvent(rows.sale({ chain: "solana" }), chains)).toBe("elsewhere");
		const broken = [{ chain: null }, { seller: "x" }, { event_type: 1 }, { quantity: 0 }];
		for (const over of broken) expect(readEvent(rows.sale(over), chains)).toBe("unreadable");
		const timeless = { event_timestamp: null, closing_date: null };
		expect(readEvent(rows.sale(timeless), chains)).toBe("unreadable");
	});
});

describe("orders", () => {
	const listing = (over: Record<string, unknown> = {}) => readOrder(rows.listing(over), { chains });
	const offer = (over: Record<string, unknown> = {}) => readOrder(rows.offer(over), { chains });

	test("a listing is priced in the currency of the signed order", () => {
		expect(listing()).toEqual({
			side: "listing",
			kind: "listing",
			orderHash: `0x${"ab".repeat(32)}`,
			chainId: 8453,
			protocolAddress: "0x0000000000000068f116a894984e2db1123eb395",
			maker: "0x00000000000000000000000000000000000000a1",
			contract: "0x00000000000000000000000000000000000000c1",
			tokenId: 7n,
			quantity: 1n,
			totalRaw: 1_000n,
			currency: `0x${"0".repeat(40)}`,
			decimals: 18,
			symbol: "ETH",
			isActive: true,
			isPrivate: false,
			startsAtMs: 1_767_225_600_000,
			expiresAtMs: 1_769_904_000_000,
			criteria: [],
			protocolData: { parameters: rows.parameters(), signature: null },
		});
	});

	test("an order is active only if the provider says so and units are left", () => {
		expect(listing({ status: "CANCELLED" })).toMatchObject({ isActive: false });
		expect(listing({ status: undefined })).toMatchObject({ isActive: true });
		expect(listing({ remaining_quantity: 0 })).toMatchObject({ isActive: false });
	});

	test("a listing with a named recipient is private", () => {
		const consideration = [
			rows.item(0, `0x${"0".repeat(40)}`, "1000", { recipient: ALICE }),
			rows.item(2, CAT, "1", { identifierOrCriteria: "7", recipient: BOB }),
		];
		const protocol_data = { parameters: rows.parameters({ consideration }) };
		expect(listing({ protocol_data })).toMatchObject({ isPrivate: true, totalRaw: 1_000n });
	});

	test("the price of a listing of several tokens is no single token's price", () => {
		const offer = ["7", "8"].map((id) => rows.item(2, CAT, "1", { identifierOrCriteria: id }));
		const protocol_data = { parameters: rows.parameters({ offer }) };
		expect(listing({ protocol_data })).toMatchObject({ contract: CAT, tokenId: null });
	});

	test("[MRG-05] an order in two currencies has no currency", () => {
		const consideration = [rows.item(0, `0x${"0".repeat(40)}`, "1"), rows.item(1, WETH, "1")];
		const protocol_data = { parameters: rows.parameters({ consideration }) };
		expect(listing({ protocol_data })).toMatchObject({ currency: null });
	});

	test("offers are read on a token, on the collection, or on traits", () => {
		expect(offer()).toMatchObject({ kind: "item_offer", tokenId: 7n, currency: WETH });
		const open = rows.item(4, CAT, "1", { recipient: ALICE });
		const parameters = rows.parameters({
			offer: [rows.item(1, WETH, "1000")],
			consideration: [open],
		});
		const on = (criteria: unknown) =>
			offer({ protocol_data: { parameters }, asset: undefined, criteria });
		const contract = { address: CAT };
		expect(on({ contract, encoded_token_ids: "*" })).toMatchObject({
			kind: "collection_offer",
			contract: CAT,
			tokenId: null,
			criteria: [],
		});
		const traits = [{ type: "Fur", value: "Red" }];
		const numeric_traits = [{ type: "Level", min: 3, max: 7 }];
		expect(on({ contract, traits, numeric_traits })).toMatchObject({
			kind: "trait_offer",
			criteria: [
				{ type: "Fur", value: "Red" },
				{ type: "Level", value: "3–7" },
			],
		});
		expect(on({ contract, encoded_token_ids: "1,5" })).toMatchObject({ kind: "trait_offer" });
	});

	test("an order without its hash, maker, price or chain is unreadable", () => {
		const broken = [
			{ order_hash: "0x1" },
			{ protocol_data: null },
			{ price: { current: { currency: "ETH", decimals: 18, value: "1e18" } } },
			{ price: null },
			{ chain: 7 },
		];
		for (const over of broken) expect(listing(over)).toBe("unreadable");
		expect(listing({ chain: "solana" })).toBe("elsewhere");
	});
});

describe("traits, drops and searches", () => {
	test("counts of text traits are read, ranges of numeric traits are left out, and `__proto__` is a name", () => {
		const answer = JSON.parse(`{
			"categories": { "Fur": "string", "Level": "number", "__proto__": "string" },
			"counts": {
				"Fur": { "Red": 4, "constructor": 1, "Bad": "x", "R\\u200bed": 1 },
				"Level": { "min": 1, "max": 99 },
				"__proto__": { "a": 1 },
				"Broken": 7
			}
		}`);
		expect(readTraitCounts(answer)).toContainEqual({
			type: "Fur",
			values: [
				{ value: "Red", count: 4 },
				{ value: "constructor", count: 1 },
				{ value: "R ed", count: 1 },
			],
		});
		expect(readTraitCounts({ counts: [] })).toBe("unreadable");
		expect(readTraitCounts({ counts: {} })).toEqual([]);
	});

	test("a trait floor of 0 is left out", () => {
		const row = { trait_type: "Fur", value: "Red", floor_price: 0, payment_token_symbol: "ETH" };
		expect(readTraitFloor(row)).toBe("elsewhere");
		expect(readTraitFloor({ ...row, trait_type: null })).toBe("unreadable");
	});

	test("drops on other chains are left out, and a stage without an id is null", () => {
		expect(readDrop(rows.drop({ chain: "solana" }), chains)).toBe("elsewhere");
		expect(readDrop(rows.drop({ contract_address: "x" }), chains)).toBe("unreadable");
		expect(readDrop(rows.drop({ active_stage: {} }), chains)).toMatchObject({ activeStage: null });
	});

	test("a search hit without a slug is unreadable", () => {
		expect(readSearchHit({ type: "collection", collection: {} })).toBe("unreadable");
		expect(readSearchHit({ type: "account" })).toBe("elsewhere");
	});
});

describe("fulfilment", () => {
	const answer = (
		transaction: Record<string, unknown> = {},
		data: Record<string, unknown> = {},
	) => ({
		protocol: "seaport1.6",
		fulfillment_data: {
			transaction: {
				function: "fulfillBasicOrder_efficient_6GL6yc((address,(uint256,address)[],bytes))",
				chain: 8453,
				to: SEAPORT,
				value: "90000000000000",
				input_data: { parameters: { basicOrderType: 0 } },
				...transaction,
			},
			...data,
		},
	});

	test("the data to fill a listing is read completely", () => {
		const read = readFulfilment(
			answer(
				{ value_hex: "0x51dac207a000", calldata_suffix: "0x360C6EBE" },
				{ orders: [{ a: 1 }] },
			),
			chains,
		);
		expect(read).toMatchObject({
			protocol: "seaport1.6",
			transaction: { chainId: 8453, valueRaw: 90_000_000_000_000n, calldataSuffix: "0x360c6ebe" },
			orders: [{ a: 1 }],
		});
	});

	test("one invalid member makes the data to fill a listing unreadable: nothing is repaired", () => {
		const wrong: Record<string, unknown>[] = [
			{ value: "1e18" },
			{ value: null },
			{ value: 0.5 },
			{ value_hex: "0x1" },
			{ to: "0x1" },
			{ chain: "solana" },
			{ chain: -1 },
			{ function: "steal" },
			{ function: null },
			{ input_data: null },
			{ input_data: { a: "x".repeat(600_000) } },
			{ calldata_suffix: "0x1" },
			{ calldata_suffix: 7 },
		];
		for (const over of wrong) expect(readFulfilment(answer(over), chains)).toBe("unreadable");
		expect(readFulfilment(answer({}, { orders: [1] }), chains)).toBe("unreadable");
		expect(readFulfilment(answer({}, { orders: Array(65).fill({}) }), chains)).toBe("unreadable");
		expect(readFulfilment(null, chains)).toBe("unreadable");
	});
});

test("[MRG-15] no row of any shape makes a reader throw", () => {
	const templates = [rows.sale(), rows.listing(), rows.offer(), rows.collection(), rows.nft()];
	const readers = [
		(row: unknown) => readCollectionDetail(row, chains),
		(row: unknown) => readDrop(row, chains),
		(row: unknown) => readEvent(row, chains),
		(row: unknown) => readFulfilment(row, chains),
		(row: unknown) => readNft(row, { chainId: null }),
		(row: unknown) => readOrder(row, { chains }),
		readSearchHit,
		readStats,
		readTraitCounts,
		readTraitFloor,
	];
	const broken = fc
		.tuple(
			fc.constantFrom(...templates),
			fc.dictionary(fc.constantFrom(...members()), fc.jsonValue()),
		)
		.map(([row, over]) => ({ ...row, ...over }));
	fc.assert(
		fc.property(fc.oneof(broken, fc.jsonValue()), (row) => {
			for (const read of readers) expect(() => read(row)).not.toThrow();
		}),
	);

	function members(): string[] {
		return [...new Set([...templates, rows.drop(), rows.stats()].flatMap(Object.keys))];
	}
});
