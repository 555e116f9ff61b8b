import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { encodeFunctionData, type Hex } from "viem";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { type RpcProxy, startRpcProxy } from "#test/harness/proxies.ts";
import { openStream, type TestStream } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { addresses, tokenAbi } from "#test/sandbox/knownContracts.ts";
import type { BookOrder } from "#test/sandbox/provider/market/Market.ts";

// Guarantee: what the provider pushes is in the market at once and published to listeners; what
// both chain and provider tell is there once; and pushes that were missed are asked for.

const SLUG = "kiln-folk";
const HIDDEN = "glasshouse-botanica";
const BLOCKS_MAX = 60;
const SOLD_BEFORE = 4;

let lab: MarketLab;
let chain: RpcProxy;
let person: Hex;
let stream: TestStream;
beforeAll(async () => {
	lab = await openMarketLab({
		only: [SLUG, HIDDEN],
		through: async (rpcUrl) => {
			chain = await startRpcProxy(rpcUrl);
			return chain.url;
		},
		env: { PROVIDER_STREAM_ENABLED: "true" },
	});
	[person] = (await lab.rpc.call("eth_accounts", [])) as [Hex];
	// Few tokens stay for sale, so that one will be listed below the floor.
	for (let sale = 0; sale < SOLD_BEFORE; sale++) {
		await buyCheapest();
		await lab.emulator.sync();
	}
	await lab.runJob("discovery");
	await lab.drainQueue();
	await lab.read(path());
	await lab.runJob("order-books");
	await lab.runJob("lean-sync");
	await lab.runJob("follow");
	// The time before listening is a gap: both topics are joined when it is announced.
	await gapsTold(2);
	await lab.drainQueue();
	// A price in another currency is learned from the chain, which will be offline later.
	await until(
		async () => (await sales()).every(({ priceNative }) => priceNative !== null),
		"every sale has a price",
	);
	// From here on no book can be read: it follows from pushes alone.
	lab.emulator.fault({ kind: "500", path: "/(listings|offers)/collection/" });
});
afterAll(async () => {
	await lab?.close();
	chain?.stop();
});
beforeEach(async () => {
	const url = lab.service.url.replace(/^http/, "ws");
	stream = await openStream(`${url}/v1/nft-market/collections/${SLUG}/stream?chain=anvil`);
});
afterEach(() => stream.close());

const path = (rest = "", slug = SLUG) => `/collections/${slug}${rest}?chain=anvil`;
/** Waits until the next turn is to read the missed pushes of so many collections. */
const gapsTold = (collections: number) =>
	until(async () => {
		const rows = await lab.service.core.db.query(
			"select from market_index.sync where provider_slug is not null and lean_at is null",
		);
		return rows.length === collections;
	}, "what was missed is to be read");

const isOrder = (hash: string, status: string) => (frame: any) =>
	frame.type === "market_event" &&
	frame.data.id === `order:${hash}` &&
	frame.data.status === status;
const isSale = (transaction: string) => (frame: any) =>
	frame.type === "market_event" &&
	frame.data.eventType === "sale" &&
	frame.data.transactionHash === transaction;
const listings = async () => (await lab.read(`${path("/listings")}&limit=200`)).data;
const floor = async () => (await lab.read(path())).market.floor;
const openListings = (): BookOrder[] => {
	const collection = lab.emulator.market().collections.get(SLUG);
	return [...(collection?.open ?? [])].filter(
		({ kind, status, currency }) =>
			kind === "listing" && status === "ACTIVE" && currency.symbol === "ETH",
	);
};
const priceOf = ({ totalRaw, units }: BookOrder) => Number(totalRaw / units) / 1e18;

async function mine(): Promise<void> {
	await lab.rpc.call("anvil_mine", ["0x1"]);
	await lab.emulator.sync();
}

/** Buys the cheapest listing on chain; the provider has not noticed it yet. */
async function buyCheapest(): Promise<{ order: BookOrder; transaction: Hex }> {
	const [order] = openListings().sort((a, b) => priceOf(a) - priceOf(b));
	if (!order) throw new Error("nothing is for sale");
	const protocol_address = addresses.seaport.toLowerCase();
	const listing = { hash: order.hash, chain: "anvil", protocol_address };
	const { call } = await lab.simulate("/listings/fulfillment_data", person, { listing });
	return { order, transaction: await lab.send(person, call) };
}
const sales = async (): Promise<any[]> =>
	(await lab.read(`${path("/activity")}&type=sale&limit=200`)).data;
const salesOf = async (transaction: Hex) =>
	(await sales()).filter(({ transactionHash }) => transactionHash === transaction);

test("[STR-01] [STR-04] [MRG-13] a pushed listing is stored and published; the cheapest becomes the floor at once", async () => {
	const before = await floor();
	const known = new Set(openListings().map(({ hash }) => hash));
	let cheaper: BookOrder | undefined;
	for (let block = 0; block < BLOCKS_MAX && !cheaper; block++) {
		await mine();
		cheaper = openListings().find((one) => !known.has(one.hash) && priceOf(one) < before);
	}
	if (!cheaper) throw new Error("nobody listed below the floor");
	const { hash } = cheaper;
	const { data } = await stream.next(isOrder(hash, "active"));
	expect(data).toMatchObject({ eventType: "listing", tokenId: String(cheaper.tokenId) });
	expect(data.priceNative).toBeCloseTo(priceOf(cheaper), 12);
	const told = await stream.next(
		(frame) => frame.type === "floor_update" && frame.data.floorNative < before,
	);
	expect(told.data.floorNative).toBe(data.priceNative);
	expect(await floor()).toBe(data.priceNative);
	// A listing in another currency may be worth a little less; the provider's floor is in ETH.
	const [inEth] = (await listings()).filter(
		({ settlementCurrency }: any) => settlementCurrency.symbol === "ETH",
	);
	expect(inEth).toMatchObject({ orderHash: hash, priceNative: data.priceNative });
});

test("[MRG-13] a cancelled listing is removed from the book, and that is published", async () => {
	// What leaves the book before the service has read it is not told.
	const inBook = new Set((await listings()).map(({ orderHash }: any) => orderHash));
	const known = openListings().filter(({ hash }) => inBook.has(hash));
	let gone: BookOrder | undefined;
	for (let block = 0; block < BLOCKS_MAX && !gone; block++) {
		await mine();
		gone = known.find(({ status }) => status === "CANCELLED");
	}
	if (!gone) throw new Error("nobody changed his mind");
	const { hash } = gone;
	await stream.next(isOrder(hash, "inactive"));
	expect((await listings()).map(({ orderHash }: any) => orderHash)).not.toContain(hash);
});

test("[MRG-07] [MRG-13] [STR-01] [STR-04] a sale from chain and provider is one row and one frame, with its candle", async () => {
	const { order, transaction } = await buyCheapest();
	const { data } = await stream.next(isSale(transaction));
	expect(data).toMatchObject({ onchainVerified: true, from: order.maker, to: person });
	await stream.next((frame) => frame.type === "candle_update");
	await lab.emulator.sync();
	// The provider's words are added to the stored row.
	await until(
		async () => (await salesOf(transaction))[0]?.providerPayload !== null,
		"the provider's sale is merged",
	);
	expect(await salesOf(transaction)).toHaveLength(1);
	expect(stream.frames.filter(isSale(transaction))).toHaveLength(1);
});

test("[ING-15] [MRG-07] a sale that only the provider reported is unverified until the chain has it", async () => {
	chain.fail(true);
	const { order, transaction } = await buyCheapest();
	await lab.emulator.sync();
	await stream.next(isSale(transaction));
	const [told, ...others] = await salesOf(transaction);
	expect(others).toEqual([]);
	expect(told).toMatchObject({ onchainVerified: false, from: order.maker, to: person });
	expect(told.priceNative).toBeCloseTo(priceOf(order), 12);
	const { market } = await lab.read(path());
	chain.fail(false);
	await lab.caughtUp();
	const verified = (frame: any) => isSale(transaction)(frame) && frame.data.onchainVerified;
	await stream.next(verified);
	const after = await salesOf(transaction);
	expect(after).toHaveLength(1);
	expect(after[0]).toMatchObject({ onchainVerified: true, priceNative: told.priceNative });
	// The first event is retracted, so a client that adds up frames has one sale too.
	const frames = stream.frames.filter(isSale(transaction));
	const sum = frames.reduce((held, { data }) => held + (data.retracted ? -1 : 1), 0);
	expect(sum).toBe(1);
	expect((await lab.read(path())).market.volume_24h).toBeCloseTo(market.volume_24h, 12);
});

test("[MRG-13] events that were pushed during a stream outage are requested after it", async () => {
	chain.fail(true);
	// Gaps of one collection are announced half a minute apart.
	lab.advance(31_000);
	lab.emulator.fault({ kind: "drop_stream", times: 1_000 });
	await until(
		async () => (await lab.read(path())).market.provider_stream === "connecting",
		"the stream is down",
	);
	await lab.runJob("lean-sync");
	const { transaction } = await buyCheapest();
	await lab.emulator.sync();
	// It was read a moment ago, so it would not be read again for 20 seconds.
	await lab.runJob("lean-sync");
	expect(await salesOf(transaction)).toEqual([]);
	lab.emulator.clearFaults();
	await gapsTold(2);
	await lab.runJob("lean-sync");
	expect(await salesOf(transaction)).toHaveLength(1);
	chain.fail(false);
});

test("[MRG-13] [IDX-06] after a pushed reveal the tokens are read again", async () => {
	const collection = lab.emulator.market().collections.get(HIDDEN);
	const { address, owner } = collection?.facts ?? {};
	if (!address || !owner) throw new Error("there is no hidden collection");
	const asset = () => lab.read(`/assets/anvil/${address}/1`);
	const before = await asset();
	expect(before.traits ?? []).toEqual([]);
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "reveal" });
	await lab.send(owner, { to: address, data });
	await lab.caughtUp();
	await until(
		async () => (await asset()).tokenUriHash !== before.tokenUriHash,
		"the token is read anew",
	);
	const { nft } = await lab.provider(`/chain/anvil/contract/${address}/nfts/1`);
	const { traits, imageUrl } = await asset();
	expect(nft.traits.length).toBeGreaterThan(0);
	expect(traits).toEqual(nft.traits);
	expect(imageUrl).toBe(nft.image_url);
});
