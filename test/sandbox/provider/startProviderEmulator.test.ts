import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { concatHex, encodeFunctionData, isHex, keccak256, parseAbi, recoverAddress } from "viem";
import { hashOrder } from "#plugins/nft-buys/seaport/Order.ts";
import { until } from "#test/harness/until.ts";
import { readHead } from "../createRpc.ts";
import { addresses, tokenAbi } from "../knownContracts.ts";
import { domainSeparator } from "../seaportOrder.ts";
import { documentMistakes, type Lab, openLab } from "./testing/openLab.ts";

// Guarantee: the emulator's answers agree with its chain, have the shapes of the provider's own
// document, and every order of its book can be filled on chain.

const ORDER_FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const SEAPORT = addresses.seaport.toLowerCase();
const supplyAbi = parseAbi(["function totalSupply() view returns (uint256)"]);
const counterAbi = parseAbi(["function incrementCounter() returns (uint256)"]);
let lab: Lab;
let person: string;
let slugs: string[];
const get = async (path: string) => (await lab.get(path)).body;

beforeAll(async () => {
	lab = await openLab();
	[person = ""] = (await lab.rpc.call("eth_accounts")) as string[];
	slugs = [...lab.emulator.market().collections.keys()];
});
afterAll(() => lab?.close());

/** Returns all items of a paged list. */
async function all(path: string, key: string, cursorName = "next"): Promise<any[]> {
	const found: any[] = [];
	let next = "";
	for (let n = 0; n < 200; n++) {
		const mark = path.includes("?") ? "&" : "?";
		const page = await get(next ? `${path}${mark}${cursorName}=${next}` : path);
		found.push(...page[key]);
		if (!page.next) return found;
		next = page.next;
	}
	throw new Error(`${path} does not end`);
}

const named = (order: any) => ({
	hash: order.order_hash,
	chain: order.chain,
	protocol_address: order.protocol_address,
});

describe("collections", () => {
	test("every answer is valid for the provider's OpenAPI document", async () => {
		const { contracts } = await get("/collections/kiln-folk");
		const { asset_events } = await get("/events/collection/kiln-folk?event_type=sale&limit=1");
		const { identifier } = asset_events[0].nft;
		const [listing] = (await get("/listings/collection/kiln-folk/best")).listings;
		const values: Record<string, string> = {
			slug: "kiln-folk",
			chain: "anvil",
			address: contracts[0].address,
			identifier,
			protocol_address: SEAPORT,
			order_hash: listing.order_hash,
		};
		for (const path of [
			"/collections",
			"/collections/trending",
			"/collections/top",
			"/collections/{slug}",
			"/collections/{slug}/stats",
			"/collections/{slug}/holders",
			"/collections/{slug}/offer_aggregates",
			"/traits/{slug}",
			"/traits/{slug}/floors",
			"/listings/collection/{slug}/all",
			"/listings/collection/{slug}/best",
			"/offers/collection/{slug}",
			"/offers/collection/{slug}/all",
			"/offers/collection/{slug}/traits",
			"/offers/collection/{slug}/nfts/{identifier}",
			"/orders/chain/{chain}/protocol/{protocol_address}/{order_hash}",
			"/events",
			"/events/collection/{slug}",
			"/events/chain/{chain}/contract/{address}/nfts/{identifier}",
			"/collection/{slug}/nfts",
			"/chain/{chain}/contract/{address}",
			"/chain/{chain}/contract/{address}/nfts",
			"/chain/{chain}/contract/{address}/nfts/{identifier}",
			"/chain/{chain}/contract/{address}/nfts/{identifier}/owners",
			"/chain/{chain}/contract/{address}/nfts/{identifier}/collection",
			"/drops",
			"/drops/{slug}",
			"/chains",
		]) {
			const real = path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
			const { status, body } = await lab.get(real);
			expect([path, status]).toEqual([path, 200]);
			// The document says that a counter is a number; the real provider was seen sending text too.
			const mistakes = documentMistakes({ method: "get", path }, body);
			expect(mistakes.filter((text) => !/\.counter is a string/.test(text))).toEqual([]);
		}
		const found = await get("/search?query=kiln");
		expect(documentMistakes({ method: "get", path: "/search" }, found)).toEqual([]);
	});

	for (const [path, cursorName] of [
		["/collections", "next"],
		["/collections/trending", "cursor"],
		["/collections/top", "cursor"],
	]) {
		test(`${path} gives every collection once, by ${cursorName}`, async () => {
			const rows = await all(`${path}?limit=5`, "collections", cursorName);
			expect(rows.map((row) => row.collection).sort()).toEqual([...slugs].sort());
			expect((await get(`${path}?chains=base&chain=base`)).collections).toEqual([]);
		});
	}

	test("the newest come first, and the most traded in /top", async () => {
		const newest = await all("/collections?limit=50", "collections");
		const created = newest.map((row) => lab.emulator.market().collections.get(row.collection));
		const times = created.map((collection) => collection?.createdS ?? 0);
		expect(times).toEqual([...times].sort((a, b) => b - a));
		const top = await all("/collections/top?sort_by=total_sales&limit=4", "collections", "cursor");
		const sales = await Promise.all(
			top.map(async (row) => (await get(`/collections/${row.collection}/stats`)).total.sales),
		);
		expect(sales).toEqual([...sales].sort((a, b) => b - a));
	});

	test("supply, owners and names equal the contracts'", async () => {
		const { name, contracts, total_supply } = await get("/collections/harbor-lights");
		expect(name).toBe("Harbor Lights");
		const data = encodeFunctionData({ abi: supplyAbi, functionName: "totalSupply" });
		const supply = await lab.rpc.call("eth_call", [{ to: contracts[0].address, data }, "latest"]);
		expect(total_supply).toBe(Number(supply));
		const holders = await all("/collections/harbor-lights/holders?limit=7", "holders", "cursor");
		expect(holders.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(total_supply);
		const { total } = await get("/collections/harbor-lights/stats");
		expect(total.num_owners).toBe(holders.length);
	});

	test("the floor is the cheapest listing's, in its own currency", async () => {
		for (const slug of slugs) {
			const { total } = await get(`/collections/${slug}/stats`);
			const [best] = (await get(`/listings/collection/${slug}/best?limit=1`)).listings;
			if (!best) {
				expect(total).toMatchObject({ floor_price: 0, floor_price_symbol: "" });
				continue;
			}
			const { current } = best.price;
			const unit = Number(current.value) / best.remaining_quantity / 10 ** current.decimals;
			expect(total.floor_price).toBeCloseTo(unit, 9);
			expect(total.floor_price_symbol).toBe(current.currency);
		}
	});

	test("traits are counted over the tokens, and a filter finds the tokens with them", async () => {
		const { counts } = await get("/traits/harbor-lights");
		const nfts = await all("/collection/harbor-lights/nfts?limit=50", "nfts");
		for (const [type, values] of Object.entries<Record<string, number>>(counts)) {
			for (const [value, count] of Object.entries(values)) {
				const traits = JSON.stringify([{ traitType: type, value }]);
				const path = `/collection/harbor-lights/nfts?traits=${encodeURIComponent(traits)}`;
				expect(await all(`${path}&limit=200`, "nfts")).toHaveLength(count);
			}
			const total = Object.values(values).reduce((sum, count) => sum + count, 0);
			expect(total).toBe(nfts.length);
		}
	});

	test("search finds collections by a part of the name, and tokens by number", async () => {
		const { results } = await get("/search?query=LIGHTS");
		expect(results.map((hit: any) => hit.collection.collection)).toEqual(["harbor-lights"]);
		const nfts = await get("/search?query=harbor%202&asset_types=nft");
		expect(nfts.results[0].nft.name).toBe("Harbor Lights #2");
		expect((await lab.get("/search")).status).toBe(400);
	});

	for (const [path, status] of [
		["/collections/nothing", 404],
		["/collections?limit=101", 400],
		["/collections?order_by=one_day_volume", 400],
		["/collections?chain=nowhere", 400],
		["/collections/top?sort_by=seven_day_volume", 400],
		["/collections?next=zzz", 400],
		["/chain/nowhere/contract/0x0/nfts", 400],
		["/events?event_type=burn", 400],
		[`/orders/chain/anvil/protocol/${SEAPORT}/0x${"00".repeat(32)}`, 400],
		["/nowhere", 404],
	] as const) {
		test(`${path} is refused with ${status} and a list of errors`, async () => {
			const answer = await lab.get(path);
			expect(answer.status).toBe(status);
			expect(answer.body.errors).toBeArrayOfSize(1);
		});
	}
});

describe("events", () => {
	test("pages give each event once, newest first, of the requested types and times", async () => {
		const whole = await all("/events/collection/night-ferry?limit=200", "asset_events");
		const paged = await all("/events/collection/night-ferry?limit=17", "asset_events");
		expect(paged).toEqual(whole);
		const times = whole.map((event) => event.event_timestamp);
		expect(times).toEqual([...times].sort((a, b) => b - a));
		const middle = times[Math.floor(times.length / 2)];
		const types = "event_type=sale&event_type=listing";
		const some = await all(
			`/events/collection/night-ferry?${types}&after=${middle}&limit=200`,
			"asset_events",
		);
		expect(some.length).toBeGreaterThan(3);
		expect(some).toEqual(
			whole.filter(
				(event) => event.event_timestamp > middle && ["sale", "listing"].includes(event.event_type),
			),
		);
	});

	test("sales equal those of the chain's Seaport", async () => {
		const filter = { fromBlock: "0x0", toBlock: "latest", topics: [ORDER_FULFILLED] };
		const logs = (await lab.rpc.call("eth_getLogs", [filter])) as any[];
		const sales = await all("/events?event_type=sale&limit=200", "asset_events");
		const hashes = new Set(logs.map(({ data }) => data.slice(0, 66)));
		expect(sales.length).toBeGreaterThan(100);
		for (const sale of sales) expect(hashes).toContain(sale.order_hash);
	});

	test("mints are returned as mint, and some as the transfer that they also are", async () => {
		const transfers = await all("/events?event_type=transfer&limit=200", "asset_events");
		const fromNobody = transfers.filter(({ from_address }) => /^0x0+$/.test(from_address));
		const mints = await all("/events?event_type=mint&limit=200", "asset_events");
		expect(fromNobody.length).toBeGreaterThan(50);
		expect(mints.length).toBeGreaterThan(fromNobody.length);
	});
});

describe("the book", () => {
	test("each order's hash is Seaport's own, and its maker signed it for this chain", async () => {
		for (const slug of ["kiln-folk", "tidewater-postcards"]) {
			const listings = await all(`/listings/collection/${slug}/all?limit=3`, "listings");
			const offers = await all(`/offers/collection/${slug}/all`, "offers");
			expect(listings.length).toBeGreaterThan(0);
			expect(offers.length).toBeGreaterThan(0);
			for (const order of [...listings, ...offers]) {
				const { parameters, signature } = order.protocol_data;
				const orderHash = hashOrder(parameters, parameters.counter);
				expect(order.order_hash).toBe(orderHash);
				const hash = keccak256(concatHex(["0x1901", domainSeparator(31_337), orderHash]));
				const signer = await recoverAddress({ hash, signature });
				expect(signer.toLowerCase()).toBe(parameters.offerer);
			}
		}
	});

	test("every listing in ether can be bought on chain with its fulfilment", async () => {
		let bought = 0;
		for (const slug of slugs) {
			for (const listing of await all(`/listings/collection/${slug}/all?limit=50`, "listings")) {
				if (listing.price.current.currency !== "ETH") continue;
				const body = { listing: named(listing) };
				const { result } = await lab.simulate("/listings/fulfillment_data", person, body);
				expect(result).toBe(`0x${"1".padStart(64, "0")}`);
				bought += 1;
			}
		}
		expect(bought).toBeGreaterThan(20);
	});

	test("every offer on a token, the collection or a trait can be accepted by a holder", async () => {
		const kinds = new Set<string>();
		for (const slug of slugs) {
			const collection = lab.emulator.market().collections.get(slug)!;
			for (const offer of await all(`/offers/collection/${slug}/all`, "offers")) {
				const traits = offer.criteria?.encoded_token_ids;
				const ids = traits && traits !== "*" ? traits.split(",").map(BigInt) : collection.ids;
				const { offerer } = offer.protocol_data.parameters;
				const wanted = offer.asset.identifier ? [BigInt(offer.asset.identifier)] : ids;
				const id = wanted.find((one: bigint) => !collection.holders.get(one)?.has(offerer));
				const [holder] = collection.holders.get(id)?.keys() ?? [];
				if (!holder) continue;
				kinds.add(traits === undefined ? "item" : traits === "*" ? "collection" : "trait");
				const { address } = collection.facts;
				const consideration = { asset_contract_address: address, token_id: String(id) };
				const body = {
					offer: named(offer),
					...(!offer.asset.identifier && { consideration }),
				};
				const { result } = await lab.simulate("/offers/fulfillment_data", holder, body);
				expect(result).toBe(`0x${"1".padStart(64, "0")}`);
			}
		}
		expect([...kinds].sort()).toEqual(["collection", "item", "trait"]);
	});

	test("a listing in a token is bought with that token, for another recipient", async () => {
		const pages = await Promise.all(
			slugs.map((slug) => all(`/listings/collection/${slug}/all?limit=200`, "listings")),
		);
		const listing = pages.flat().find(({ price }) => price.current.currency === "LNTRN");
		expect(listing).toBeDefined();
		const coin = listing.protocol_data.parameters.consideration[0].token;
		const encode = (functionName: any, args: any) =>
			encodeFunctionData({ abi: tokenAbi, functionName, args });
		await lab.send(person, { to: coin, data: encode("mint", [person, 10n ** 14n]) });
		await lab.send(person, { to: coin, data: encode("approve", [addresses.conduit, 10n ** 14n]) });
		const recipient = `0x${"77".repeat(20)}`;
		const body = { listing: named(listing), recipient };
		const { call } = await lab.simulate("/listings/fulfillment_data", person, body);
		expect(call.value).toBe("0x0");
		await lab.send(person, call);
		await lab.emulator.sync();
		const { contract, identifier } = listing.asset;
		const { nft } = await get(`/chain/anvil/contract/${contract}/nfts/${identifier}`);
		expect(nft.owners.map((owner: any) => owner.address)).toContain(recipient);
	});

	test("after a sale its listing is fulfilled, its event is returned and its fulfilment refused", async () => {
		const [listing] = (await get("/listings/collection/kiln-folk/best")).listings;
		const body = { listing: named(listing) };
		const before = (await get("/collections/kiln-folk/stats")).total;
		const { call } = await lab.simulate("/listings/fulfillment_data", person, body);
		const hash = await lab.send(person, call);
		await lab.emulator.sync();
		const path = `/orders/chain/anvil/protocol/${SEAPORT}/${listing.order_hash}`;
		expect((await get(path)).order.status).toBe("FULFILLED");
		const [sale] = (await get("/events/collection/kiln-folk?event_type=sale&limit=1")).asset_events;
		expect(sale).toMatchObject({
			transaction: hash,
			order_hash: listing.order_hash,
			seller: listing.protocol_data.parameters.offerer,
			buyer: person,
			payment: { quantity: listing.price.current.value, symbol: "ETH" },
		});
		const after = (await get("/collections/kiln-folk/stats")).total;
		expect(after.sales).toBe(before.sales + 1);
		const again = await lab.post("/listings/fulfillment_data", {
			...body,
			fulfiller: { address: person },
		});
		expect(again.status).toBe(400);
		const left = await all("/listings/collection/kiln-folk/all", "listings");
		expect(left.map((order) => order.order_hash)).not.toContain(listing.order_hash);
	});

	test("a part of an edition's listing is bought, and the rest stays for sale", async () => {
		const pages = await Promise.all(
			slugs.map((slug) => all(`/listings/collection/${slug}/all?limit=200`, "listings")),
		);
		const listing = pages
			.flat()
			.find((one) => one.remaining_quantity > 1 && one.price.current.currency === "ETH");
		const body = { listing: named(listing), units_to_fill: 1 };
		const { call } = await lab.simulate("/listings/fulfillment_data", person, body);
		await lab.send(person, call);
		await lab.emulator.sync();
		const path = `/orders/chain/anvil/protocol/${SEAPORT}/${listing.order_hash}`;
		const { order } = await get(path);
		expect(order).toMatchObject({
			status: "ACTIVE",
			remaining_quantity: listing.remaining_quantity - 1,
		});
		expect(BigInt(order.price.current.value)).toBe(
			(BigInt(listing.price.current.value) / BigInt(listing.remaining_quantity)) *
				BigInt(listing.remaining_quantity - 1),
		);
		const rest = await lab.simulate("/listings/fulfillment_data", person, {
			listing: named(listing),
		});
		expect(isHex(rest.result)).toBe(true);
	});

	test("a listing whose seller gave the token away is inactive, and the seller's counter ends all of them", async () => {
		const market = lab.emulator.market();
		const collection = market.collections.get("signal-pigeons")!;
		const order = [...collection.open].find(
			({ kind, status }) => kind === "listing" && status === "ACTIVE",
		)!;
		const data = encodeFunctionData({
			abi: tokenAbi,
			functionName: "safeTransferFrom",
			args: [order.maker, `0x${"66".repeat(20)}`, order.tokenId!],
		});
		await lab.send(order.maker, { to: collection.facts.address, data });
		await lab.emulator.sync();
		const path = `/orders/chain/anvil/protocol/${SEAPORT}/${order.hash}`;
		expect((await get(path)).order.status).toBe("INACTIVE");
		const retire = encodeFunctionData({ abi: counterAbi, functionName: "incrementCounter" });
		await lab.send(order.maker, { to: addresses.seaport, data: retire });
		await lab.emulator.sync();
		expect((await get(path)).order.status).toBe("CANCELLED");
		expect((await get(`/account/${order.maker}/listings`)).listings).toEqual([]);
		expect((await get(`/account/${order.maker}/offers`)).offers).toEqual([]);
	});
});

describe("drops", () => {
	test("an open drop can be minted with the returned call", async () => {
		const featured = await all("/drops?limit=3", "drops", "cursor");
		expect(featured.every((drop) => drop.is_minting)).toBe(true);
		const mint = { minter: person, quantity: 2 };
		const { body } = await lab.post("/drops/harbor-lights/mint", mint);
		await lab.send(person, body);
		const before = (await get("/collections/harbor-lights")).total_supply;
		await lab.emulator.sync();
		expect((await get("/collections/harbor-lights")).total_supply).toBe(before + 2);
	});

	test("a sold-out drop is among the recently minted, and minting it is a conflict", async () => {
		const { drops } = await get("/drops?type=recently_minted");
		expect(drops.map((drop: any) => drop.collection_slug)).toContain("kiln-folk");
		const answer = await lab.post("/drops/kiln-folk/mint", { minter: person, quantity: 1 });
		expect(answer.status).toBe(409);
	});

	test("an empty page may have a next one", async () => {
		const first = await get("/drops?type=upcoming");
		expect(first.drops).toEqual([]);
		expect(await get(`/drops?type=upcoming&cursor=${first.next}`)).toEqual({ drops: [] });
	});
});

describe("the state", () => {
	test("the same chain and seed have the same book, and another seed another one", async () => {
		const [same, other] = [lab.start(), lab.start({ seed: 12 })];
		await Promise.all([same.sync(), other.sync()]);
		const hashes = [...lab.emulator.market().orders.keys()];
		expect([...same.market().orders.keys()]).toEqual(hashes);
		expect([...other.market().orders.keys()]).not.toEqual(hashes);
	});

	test("the state after a reorg equals that of the new chain", async () => {
		const snapshot = await lab.rpc.call("evm_snapshot");
		const head = await readHead(lab.rpc);
		await lab.rpc.call("anvil_mine", ["0x3"]);
		await lab.emulator.sync();
		expect(lab.emulator.market().head.number).toBe(head.number + 3);
		await lab.rpc.call("evm_revert", [snapshot]);
		await lab.rpc.call("evm_increaseTime", [77]);
		await lab.rpc.call("anvil_mine", ["0x4"]);
		await until(async () => {
			await lab.emulator.sync();
			const now = await readHead(lab.rpc);
			return now.number === head.number + 4 && lab.emulator.market().head.hash === now.hash;
		}, "the emulator follows the other branch");
	});
});
