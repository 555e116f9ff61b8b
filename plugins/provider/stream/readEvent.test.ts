import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { RECENT_EVENTS_MAX, RECENT_EVENTS_MS } from "#plugins/provider/limits.ts";
import {
	createEventReader,
	createOrderMemory,
	createRecentEvents,
	readPlace,
	readPush,
} from "#plugins/provider/stream/readEvent.ts";
import { manualTime, STARTED_AT_MS } from "#plugins/provider/stream/testing/manualTime.ts";
import {
	enveloped,
	hashOf,
	MAKER,
	sampleEvents,
	TAKER,
	WETH,
} from "#plugins/provider/stream/testing/sampleEvents.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";

describe("createEventReader", () => {
	test("a repeated event is dropped, and a newer revision of it is read", () => {
		const read = createEventReader({ ...manualTime(), chains: { idOf: () => 1 } });
		const listed = (version: number) => ({
			joinRef: null,
			ref: null,
			topic: "collection:cats",
			event: "item_listed",
			payload: enveloped("item_listed", sampleEvents.listed(), version),
		});
		expect(read(listed(1), "cats").kind).toBe("push");
		expect(read(listed(1), "cats")).toEqual({ kind: "left_out", why: "repeated" });
		expect(read(listed(2), "cats").kind).toBe("push");
	});
});

describe("createRecentEvents", () => {
	const frame = (seed: number, sent_at = "a", topic = "t") => ({
		joinRef: null,
		ref: null,
		topic,
		event: "item_listed",
		payload: { version: 1, sent_at, payload: { seed } },
	});

	test("an event is recognised with another sent_at, but not on another topic", () => {
		const recent = createRecentEvents(manualTime());
		expect(recent.isRepeated(frame(1))).toBe(false);
		expect(recent.isRepeated(frame(1, "b"))).toBe(true);
		expect(recent.isRepeated(frame(2))).toBe(false);
		expect(recent.isRepeated(frame(1, "a", "u"))).toBe(false);
	});

	test("an event is forgotten after a while, and after too many others", () => {
		const time = manualTime();
		const recent = createRecentEvents(time);
		recent.isRepeated(frame(0));
		time.advance(RECENT_EVENTS_MS - 1);
		expect(recent.isRepeated(frame(0))).toBe(true);
		time.advance(RECENT_EVENTS_MS);
		expect(recent.isRepeated(frame(0))).toBe(false);
		for (let seed = 1; seed <= RECENT_EVENTS_MAX; seed++) recent.isRepeated(frame(seed));
		expect(recent.isRepeated(frame(0))).toBe(false);
	});
});

describe("readPlace", () => {
	const chains = createChainNames(createChainRegistry(builtinChains));
	const CONTRACT = "0xabcdef0000000000000000000000000000000001";
	const placed = (chain: unknown, nft_id: unknown, itemChain: unknown = null) =>
		readPlace({ chain, item: { nft_id, chain: itemChain } }, chains);

	test("the chain is read in each of its spellings and positions", () => {
		const token = { contract: CONTRACT, tokenId: 7n };
		const polygon = { kind: "place", place: { chainId: 137, token } };
		expect(placed("polygon", `matic/${CONTRACT}/7`)).toMatchObject(polygon);
		expect(placed({ name: "Matic" }, `polygon/${CONTRACT}/7`)).toMatchObject(polygon);
		expect(placed(null, `polygon/${CONTRACT}/7`, { name: "polygon" })).toMatchObject(polygon);
		expect(placed(null, `matic/${CONTRACT.toUpperCase().replace("X", "x")}/7`)).toMatchObject(
			polygon,
		);
		const ape = { kind: "place", place: { chainId: 33_139, token: null } };
		expect(placed("ape_chain", undefined)).toMatchObject(ape);
		expect(readPlace({ chain: "ape_chain", item: {} }, chains)).toMatchObject(ape);
		expect(readPlace({ chain: "ape_chain" }, chains)).toMatchObject(ape);
	});

	test("an event on an unknown chain is dropped", () => {
		for (const chain of ["solana", "hyperliquid", "nowhere"]) {
			expect(placed(chain, undefined)).toEqual({ kind: "unknown_chain" });
			expect(placed("ethereum", `${chain}/${CONTRACT}/7`)).toEqual({ kind: "unknown_chain" });
		}
	});

	test("[MRG-15] an event with two chains, no chain, or an incomplete token is unreadable", () => {
		const ids = [`base/${CONTRACT}/7`, "ethereum/0x12/7", `ethereum/${CONTRACT}`, "ethereum"];
		const more = [
			`ethereum/${CONTRACT}/7/8`,
			`ethereum/${CONTRACT}/-7`,
			`ethereum/${CONTRACT}/1e3`,
		];
		for (const nftId of [...ids, ...more]) {
			expect(placed("ethereum", nftId)).toEqual({ kind: "unreadable" });
		}
		for (const inner of [{}, null, [], "x", { chain: 1 }]) {
			expect(readPlace(inner, chains)).toEqual({ kind: "unreadable" });
		}
	});
});

describe("readPush", () => {
	const chains = createChainNames(createChainRegistry(builtinChains));
	const CONTRACT = "0xabcdef0000000000000000000000000000000001";

	function reader() {
		const orders = createOrderMemory();
		return (event: string, inner: unknown) => {
			const frame = { joinRef: null, ref: null, topic: "collection:cats", event };
			const context = { chains, orders, nowMs: STARTED_AT_MS };
			return readPush({ ...frame, payload: enveloped(event, inner) }, "cats", context);
		};
	}

	function pushOf(event: string, inner: unknown) {
		const read = reader()(event, inner);
		if (read.kind !== "push") return expect.unreachable(JSON.stringify(read));
		return read.push;
	}

	const missing = (why: string) => expect.objectContaining({ kind: "missing", why });

	test("[MRG-13] a listing is an order with its price, its maker and its times", () => {
		const protocol_data = { parameters: { offerer: MAKER }, signature: "0x" };
		const push = pushOf("item_listed", sampleEvents.listed({ quantity: 3, protocol_data }));
		expect(push).toEqual({
			type: "order",
			slug: "cats",
			order: {
				side: "listing",
				kind: "listing",
				orderHash: "0x0000000000000000000000000000000000000000000000000000000000000001",
				chainId: 1,
				protocolAddress: null,
				maker: MAKER,
				contract: CONTRACT,
				tokenId: 7n,
				quantity: 3n,
				totalRaw: 1_500_000_000_000_000_000n,
				currency: ZERO_ADDRESS,
				decimals: 18,
				symbol: "ETH",
				isActive: true,
				isPrivate: false,
				startsAtMs: Date.UTC(2026, 9, 31, 23, 59, 49),
				expiresAtMs: Date.UTC(2026, 11, 1),
				criteria: [],
				protocolData: protocol_data,
			},
		});
	});

	test("[MRG-13] bids are offers on an item, a collection or traits", () => {
		const order = (event: string, inner: unknown) => {
			const push = pushOf(event, inner);
			return push.type === "order" ? push.order : null;
		};
		expect(order("item_received_bid", sampleEvents.bid())).toMatchObject({
			side: "offer",
			kind: "item_offer",
			tokenId: 7n,
			currency: WETH.toLowerCase(),
		});
		expect(order("collection_offer", sampleEvents.collectionOffer())).toMatchObject({
			kind: "collection_offer",
			contract: CONTRACT,
			tokenId: null,
			criteria: [],
		});
		const fur = { trait_type: "Fur", trait_name: "Grey" };
		const eyes = { trait_type: "Eyes", trait_name: "Red" };
		expect(
			order("trait_offer", sampleEvents.collectionOffer({ trait_criteria: fur })),
		).toMatchObject({ kind: "trait_offer", criteria: [{ type: "Fur", value: "Grey" }] });
		const list = { trait_criteria: null, trait_criteria_list: [fur, eyes] };
		expect(order("trait_offer", sampleEvents.collectionOffer(list))?.criteria).toHaveLength(2);
	});

	test("[MRG-15] an offer on unreadable traits is not read as an offer on the whole collection", () => {
		const read = reader();
		for (const trait_criteria_list of [[], [{ trait_type: "Fur" }], "Fur"]) {
			const offer = sampleEvents.collectionOffer({ trait_criteria_list });
			expect(read("trait_offer", offer)).toEqual(missing("unreadable"));
		}
	});

	test("an auction's first bid and a gift are not read as listings", () => {
		const read = reader();
		for (const changes of [{ listing_type: "english" }, { base_price: "0" }]) {
			const leftOut = { kind: "left_out", why: "no_price" } as const;
			expect(read("item_listed", sampleEvents.listed(changes))).toEqual(leftOut);
		}
	});

	test("a listing with a named taker is private", () => {
		for (const changes of [{ taker: { address: TAKER } }, { is_private: true }]) {
			const push = pushOf("item_listed", sampleEvents.listed(changes));
			expect(push).toMatchObject({ order: { isPrivate: true } });
		}
	});

	test("[MRG-13] a sale has its transaction, its time, its price and both parties", () => {
		expect(pushOf("item_sold", sampleEvents.sold())).toMatchObject({
			type: "event",
			slug: "cats",
			event: {
				type: "sale",
				seller: MAKER,
				buyer: TAKER,
				occurredAtMs: Date.UTC(2026, 9, 31, 23, 59, 47),
				transactionHash: hashOf(99),
				orderHash: hashOf(1),
				quantity: 1n,
				payment: { totalRaw: 1_500_000_000_000_000_000n, decimals: 18, symbol: "ETH" },
				nft: { contract: CONTRACT, tokenId: 7n, name: "Cat #7", collectionSlug: "cats" },
			},
		});
	});

	test("[MRG-13] an accepted offer is a sale if its order was seen before, and a gap otherwise", () => {
		const payment_token = { address: WETH, decimals: 18, symbol: "WETH" };
		const accepted = sampleEvents.sold({ payment_token, order_hash: hashOf(3) });
		const read = reader();
		expect(read("item_sold", accepted)).toEqual(missing("no_roles"));
		read("collection_offer", sampleEvents.collectionOffer());
		expect(read("item_sold", accepted)).toMatchObject({
			push: { event: { type: "sale", seller: TAKER, buyer: MAKER } },
		});
	});

	test("[MRG-13] a transfer from the zero address is a mint", () => {
		expect(pushOf("item_transferred", sampleEvents.transferred())).toMatchObject({
			event: { type: "transfer", from: MAKER, to: TAKER, transactionHash: hashOf(98) },
		});
		const minted = sampleEvents.transferred({ from_account: { address: ZERO_ADDRESS } });
		expect(pushOf("item_transferred", minted)).toMatchObject({ event: { type: "mint" } });
	});

	test("[MRG-13] a metadata event gives the token with its readable traits", () => {
		const push = pushOf("item_metadata_updated", sampleEvents.metadata());
		expect(push).toMatchObject({
			type: "metadata",
			nft: {
				chainId: 1,
				tokenId: 7n,
				description: "a cat",
				traits: [
					{ type: "Fur", value: "Grey", displayType: null },
					{ type: "Lives", value: "9", displayType: null },
				],
			},
		});
	});

	test("[MRG-13] orders are cancelled, invalidated and revalidated by their hash", () => {
		const types = { item_cancelled: "order_gone", order_invalidate: "order_gone" } as const;
		for (const [event, type] of Object.entries({ ...types, order_revalidate: "order_back" })) {
			const push = pushOf(event, sampleEvents.order());
			expect(push).toEqual(expect.objectContaining({ type, chainId: 1, slug: "cats" }));
		}
		expect(reader()("item_cancelled", sampleEvents.order({ order_hash: null }))).toEqual(
			missing("unreadable"),
		);
	});

	test("[MRG-15] an event with two chains, or with a time in the future, is unreadable", () => {
		const read = reader();
		const twoChains = sampleEvents.listed({ chain: { name: "base" } });
		expect(read("item_listed", twoChains)).toEqual(missing("unreadable"));
		const transaction = { hash: hashOf(99), timestamp: "2026-11-02T00:00:00+00:00" };
		expect(read("item_sold", sampleEvents.sold({ transaction }))).toEqual(missing("unreadable"));
	});

	test("[MRG-15] amounts are exact, or the event is unreadable", () => {
		const read = reader();
		for (const base_price of ["1e18", "-1", "1.5", 1.5, 2 ** 60, null, {}, "9".repeat(79)]) {
			const listed = sampleEvents.listed({ base_price });
			expect(read("item_listed", listed)).toEqual(missing("unreadable"));
		}
		for (const payment_token of [null, {}, { address: WETH, symbol: "WETH" }]) {
			const listed = sampleEvents.listed({ payment_token });
			expect(read("item_listed", listed)).toEqual(missing("unreadable"));
		}
	});

	test("an event that contradicts its signed order is unreadable", () => {
		const protocol_data = { parameters: { offerer: TAKER } };
		const listed = sampleEvents.listed({ protocol_data });
		expect(reader()("item_listed", listed)).toEqual(missing("unreadable"));
	});

	test("[MRG-15] reading a push never throws, for any content", () => {
		const samples = Object.values(sampleEvents).map((sample) => sample());
		const events = ["item_listed", "item_sold", "item_transferred", "trait_offer", "__proto__"];
		const keys = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
		const broken = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
		fc.assert(
			fc.property(
				fc.constantFrom(...events),
				fc.constantFrom(...samples),
				broken,
				(event, sample, changes) => {
					const read = reader()(event, { ...sample, ...changes });
					expect(["push", "left_out", "missing"]).toContain(read.kind);
				},
			),
		);
		expect(reader()("item_listed", null).kind).toBe("missing");
		expect(reader()("item_listed", [[]]).kind).toBe("missing");
	});
});
