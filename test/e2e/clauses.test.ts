import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startRpcProxy } from "#test/harness/proxies.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { openStream, startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: clauses of the specification that are easily lost in a refactoring, each seen from
// outside.

const ETHER = 10n ** 18n;
const market = "/v1/nft-market";
let anvil: Anvil;
let chain: SeaportChain;
let service: TestService;
let seller: Hex;
let buyer: Hex;
let relayer: Hex;

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await deploySeaport(anvil);
	[, seller, buyer, relayer] = chain.accounts as [Hex, Hex, Hex, Hex];
	service = await startTestService({ chain: anvil });
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

const headOf = async () => Number(await anvil.rpc<Hex>("eth_blockNumber"));

const sell = async (consideration: unknown[] = [], from = buyer) => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [chain.to(seller, chain.native(ETHER)), ...(consideration as never[])],
	});
	return chain.fulfillAdvancedOrder({ order }, { from, value: ETHER });
};

async function salesOf(transactionHash: Hex) {
	await service.indexed(await headOf());
	const path = `${market}/collections/${chain.tokens.nft}/activity?chain=anvil&type=sale&limit=200`;
	const { status, body } = await service.get(path);
	expect(status).toBe(200);
	return body.data.filter((event: any) => event.transactionHash === transactionHash);
}

test("[ING-12] a private sale that a third party fills has the account in the order as its buyer", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [chain.to(seller, chain.native(ETHER)), chain.to(buyer, chain.nft(id))],
	});
	const receipt = await chain.fulfillAdvancedOrder({ order }, { from: relayer, value: ETHER });
	expect(await salesOf(receipt.transactionHash)).toMatchObject([
		{ from: seller, to: buyer, priceNative: 1, accepted: true },
	]);
});

test("[ING-02] [ING-12] every Seaport from 1.1 to 1.6 is read, at its own address", async () => {
	const { logs, transactionHash } = await sell();
	const log = logs.find(({ address }) => address === chain.address);
	const fixtures = await fixturesOn(anvil);
	const echo = await fixtures.deploy("Echo");
	const code = await anvil.rpc<Hex>("eth_getCode", [echo, "latest"]);
	expect(await salesOf(transactionHash)).toHaveLength(1);
	for (const address of [
		"0x00000000006c3852cbef3e08e8df289169ede581", // 1.1
		"0x00000000000006c7676171937c444f6bde3d6282", // 1.2
		"0x0000000000000ad24e80fd803c6ac37206a45f15", // 1.3
		"0x00000000000001ad428e4906ae43d8f9852d0dd6", // 1.4
		"0x00000000000000adc04c56bf30ac9d3c0aaf14dc", // 1.5
	] as const) {
		await anvil.rpc("anvil_setCode", [address, code]);
		const said = [...(log?.topics ?? []), log?.data];
		const copied = await fixtures.call("Echo", address, "echo", said);
		expect(await salesOf(copied)).toMatchObject([{ from: seller, to: buyer, priceNative: 1 }]);
	}
});

test("[ING-02] a sale of a contract that is not tracked is decoded and not stored", async () => {
	const exclude = (excluded: boolean) =>
		service.core.db.execute("update market_index.collection set excluded = $2 where address = $1", [
			Buffer.from(chain.tokens.nft.slice(2), "hex"),
			excluded,
		]);
	await sell();
	await service.indexed(await headOf());
	await exclude(true);
	const { transactionHash } = await sell();
	await service.indexed(await headOf());
	const path = `${market}/collections/${chain.tokens.nft}`;
	expect((await service.get(path)).status).toBe(404);
	await exclude(false);
	expect(await salesOf(transactionHash)).toHaveLength(0);
});

/** Members that compare windows: lists have them, and frames do not. */
const OF_LISTS = new Set(["changes", "listedPercent", "supply"]);

test("[STR-02] a sale and a mint are published to discover as rows of `market` and of `minting`", async () => {
	const url = `${service.url.replace(/^http/, "ws")}${market}/discover/stream?chain=anvil`;
	const stream = await openStream(url);
	await sell();
	for (const section of ["market", "minting"]) {
		const { data } = await stream.next((frame) => frame.data?.section === section);
		const { body } = await service.get(`${market}/collections/${data.row.slug}?chain=anvil`);
		expect(Object.keys(data.row).sort()).toEqual(
			Object.keys((await service.get(`${market}/discover?chain=anvil`)).body.market[0])
				.filter((name) => !OF_LISTS.has(name))
				.sort(),
		);
		expect(body.market.contractAddress).toBe(chain.tokens.nft);
	}
	stream.close();
});

test("[API-18] while the RPC refuses, freshness shows the head and the lag", async () => {
	const proxy = await startRpcProxy(anvil.url);
	const lagging = await startTestService({ chain: { url: proxy.url, wsUrl: anvil.wsUrl } });
	try {
		const start = await headOf();
		const since = Date.now();
		await lagging.indexed(start);
		const { body } = await lagging.get(`${market}/trending?chain=anvil`);
		expect(Date.parse(body.freshness.indexedAt)).toBeGreaterThanOrEqual(since - 1_000);
		expect(Date.parse(body.freshness.indexedAt)).toBeLessThanOrEqual(Date.now());
		proxy.fail(true);
		await anvil.rpc("anvil_mine", ["0x7"]);
		let freshness: any;
		do {
			freshness = (await lagging.get(`${market}/trending?chain=anvil`)).body.freshness;
		} while (freshness.lagBlocks === 0 && Date.now() - since < 200_000);
		expect(freshness).toMatchObject({ headBlock: start + 7, indexedBlock: start, lagBlocks: 7 });
	} finally {
		proxy.fail(false);
		await lagging.stop();
		await lagging.database.drop();
		proxy.stop();
	}
});

test("[ING-01] a transfer between accounts is no mint and gives no row", async () => {
	const fixtures = await fixturesOn(anvil);
	const plain = await fixtures.deploy("Plain721", ["Walker", 0n]);
	await fixtures.call("Plain721", plain, "mint", [seller, 1n]);
	await fixtures.call("Plain721", plain, "transfer", [buyer, 1n]);
	await service.indexed(await headOf());
	const { body } = await service.get(`${market}/collections/${plain}/activity?chain=anvil`);
	expect(body.data).toMatchObject([{ eventType: "mint", to: seller, tokenId: "1" }]);
	expect(body.page.hasMore).toBe(false);
});

test("[ING-04] [API-06] the slug of a contract without a name is its address", async () => {
	const fixtures = await fixturesOn(anvil);
	const mute = await fixtures.deploy("Liar721", ["0x", 1n]);
	await fixtures.call("Liar721", mute, "mint", [seller, 1n]);
	await service.indexed(await headOf());
	for (const name of [mute, `0x${mute.slice(2).toUpperCase()}`]) {
		const { status, body } = await service.get(`${market}/collections/${name}?chain=anvil`);
		expect(status).toBe(200);
		expect(body.market).toMatchObject({ slug: mute, name: null, syncStatus: "queued" });
	}
});

test("[ING-04] [ING-02] a contract first seen in a sale becomes a collection", async () => {
	const id = await chain.mintNft(seller);
	const order = await chain.sign({
		offerer: seller,
		offer: [chain.nft(id)],
		consideration: [chain.to(seller, chain.native(ETHER))],
	});
	const late = await startTestService({ chain: anvil, scanFrom: (await headOf()) + 1 });
	try {
		const path = `${market}/collections/${chain.tokens.nft}`;
		expect((await late.get(path)).status).toBe(404);
		await chain.fulfillAdvancedOrder({ order }, { from: buyer, value: ETHER });
		await late.indexed(await headOf());
		const { body } = await late.get(path);
		expect(body).toMatchObject({ market: { sales24h: 1 }, mint: { mintedSupply: null } });
		expect(body.lastSale.tokenId).toBe(id.toString());
	} finally {
		await late.stop();
		await late.database.drop();
	}
});

test("[IDX-12] sales and mints from the chain are shown as verified", async () => {
	await sell();
	await service.indexed(await headOf());
	const path = `${market}/collections/${chain.tokens.nft}/activity?chain=anvil`;
	for (const type of ["sale", "mint"]) {
		const { body } = await service.get(`${path}&type=${type}`);
		expect(body.data.length).toBeGreaterThan(0);
		for (const event of body.data) {
			expect(event).toMatchObject({
				eventType: type,
				onchainVerified: true,
				providerPayload: null,
			});
		}
	}
});

test("[ING-09] one of two processes runs each lane, and the other takes over", async () => {
	const fixtures = await fixturesOn(anvil);
	const plain = await fixtures.deploy("Plain721", ["Shared", 0n]);
	const first = await startTestService({ chain: anvil });
	const second = await startTestService({ chain: anvil, database: first.database });
	const runs = async ({ url }: { url: string }, lane: string) => {
		const text = await (await fetch(`${url}/metrics`)).text();
		return new RegExp(`^tapeline_index_block\\{chain="anvil",lane="${lane}"\\} `, "m").test(text);
	};
	let stopped = false;
	try {
		for (const count of [2n, 1n, 3n])
			await fixtures.call("Plain721", plain, "mint", [buyer, count]);
		await first.indexed(await headOf());
		for (const lane of ["mint", "sale"]) {
			expect([await runs(first, lane), await runs(second, lane)].filter(Boolean)).toHaveLength(1);
		}
		const leases = await first.core.db.query<{ name: string }>(
			"select name from core.lease where name like 'lane:%' order by name",
		);
		expect(leases.map(({ name }) => name)).toEqual(["lane:31337:mint", "lane:31337:sale"]);
		await first.stop();
		stopped = true;
		await fixtures.call("Plain721", plain, "mint", [buyer, 1n]);
		await second.indexed(await headOf());
		const { body } = await second.get(`${market}/collections/${plain}/activity?chain=anvil`);
		expect(body.data.map(({ tokenId }: any) => Number(tokenId)).sort()).toEqual([
			1, 2, 3, 4, 5, 6, 7,
		]);
	} finally {
		if (!stopped) await first.stop();
		await second.stop();
		await first.database.drop();
	}
});

test("[STR-02] a row is published at its commit, not by the next poll", async () => {
	const url = `${service.url.replace(/^http/, "ws")}${market}/discover/stream?chain=anvil`;
	const stream = await openStream(url);
	const fixtures = await fixturesOn(anvil);
	const plain = await fixtures.deploy("Plain721", ["Prompt", 0n]);
	const delaysMs: number[] = [];
	for (let round = 0; round < 5; round++) {
		const hash = await fixtures.call("Plain721", plain, "mint", [buyer, 1n]);
		const isStored = () =>
			service.core.db.query("select from market_index.event where transaction_hash = $1", [
				Buffer.from(hash.slice(2), "hex"),
			]);
		await until(async () => (await isStored()).length > 0, "the mint is stored");
		const storedAt = performance.now();
		await stream.next((frame) => frame.data?.row?.transactionHash === hash);
		delaysMs.push(performance.now() - storedAt);
	}
	// Lanes look once a second: by that alone the median of five delays would be about 500 ms.
	expect(delaysMs.sort((a, b) => a - b)[2]).toBeLessThan(250);
	stream.close();
});
