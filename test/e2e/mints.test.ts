import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: every mint on a chain the service has never seen is in the index, at the right price,
// and nothing else is there as a mint.

let anvil: Anvil;
let chain: Awaited<ReturnType<typeof fixturesOn>>;
let service: TestService;
let plain: Hex;
let other: Hex;
let editions: Hex;

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await fixturesOn(anvil);
	plain = await chain.deploy("Plain721", ["Plain Things", 10n]);
	other = await chain.deploy("Plain721", ["Other Things", 0n]);
	editions = await chain.deploy("Plain1155");
	service = await startTestService({ chain: anvil });
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

const indexedAll = async () => service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));

const mintsOf = async (contract: Hex, transaction: Hex) => {
	await indexedAll();
	const path = `/v1/nft-market/collections/${contract}/activity?chain=anvil&type=mint&limit=200`;
	const { status, body } = await service.get(path);
	expect(status).toBe(200);
	return body.data.filter(
		(event: { transactionHash: Hex }) => event.transactionHash === transaction,
	);
};

const buyer: Hex = "0x00000000000000000000000000000000000b0b01";

test("[ING-01] [ING-07] a mint's price is the transaction's value divided by the minted tokens", async () => {
	const hash = await chain.call("Plain721", plain, "mint", [buyer, 3n], {
		value: 3_000_000_000_000_000n,
	});
	const mints = await mintsOf(plain, hash);
	expect(mints).toHaveLength(3);
	for (const mint of mints) {
		expect(mint).toMatchObject({
			eventType: "mint",
			accepted: true,
			onchainVerified: true,
			priceNative: 0.001,
			amountRaw: "1000000000000000",
			quantity: "1",
			from: "0x0000000000000000000000000000000000000000",
			to: buyer,
			settlementCurrency: { symbol: "ETH", decimals: 18 },
		});
	}
	expect(mints.map((mint: { tokenId: string }) => mint.tokenId).sort()).toEqual(["1", "2", "3"]);
});

test("[ING-07] a free mint costs 0, which is not unknown", async () => {
	const hash = await chain.call("Plain721", plain, "mint", [buyer, 1n]);
	const [mint] = await mintsOf(plain, hash);
	expect(mint).toMatchObject({ priceNative: 0, amountRaw: "0" });
	const { body } = await service.get(`/v1/nft-market/collections/${plain}?chain=anvil`);
	expect(body.mint.priceNative).toBe(0);
});

test("[ING-07] collections minted in one transaction share its value by token", async () => {
	const bundler = await chain.deploy("Bundler");
	const args = [plain, 1n, other, 3n];
	const hash = await chain.call("Bundler", bundler, "mintBoth", args, { value: 0n });
	expect(await mintsOf(plain, hash)).toHaveLength(1);
	expect(await mintsOf(other, hash)).toHaveLength(3);
	const paid = await chain.call("Bundler", bundler, "mintBoth", args, { value: 4_000n });
	const shares = [...(await mintsOf(plain, paid)), ...(await mintsOf(other, paid))];
	expect(shares.map((mint) => mint.amountRaw)).toEqual(["1000", "1000", "1000", "1000"]);
});

test("[ING-01] ERC-1155 mints count their quantities, one row for each id of a batch", async () => {
	const single = await chain.call("Plain1155", editions, "mint", [buyer, 7n, 5n], { value: 500n });
	expect(await mintsOf(editions, single)).toMatchObject([
		{ tokenId: "7", quantity: "5", amountRaw: "100", totalRaw: "500", to: buyer },
	]);
	const ids = [8n, 9n, 2n ** 256n - 1n];
	const batch = await chain.call("Plain1155", editions, "mintBatch", [buyer, ids, [1n, 3n, 4n]], {
		value: 800n,
	});
	const mints = await mintsOf(editions, batch);
	const byId = new Map(mints.map((mint: { tokenId: string }) => [mint.tokenId, mint]));
	expect(byId.size).toBe(3);
	expect(byId.get("9")).toMatchObject({ quantity: "3", amountRaw: "100", totalRaw: "300" });
	expect(byId.has((2n ** 256n - 1n).toString())).toBe(true);
});

test("[ING-01] an ERC-20 mint gives no collection and no event", async () => {
	const coin = await chain.deploy("Plain20");
	await chain.call("Plain20", coin, "mint", [buyer, 10n ** 18n]);
	await indexedAll();
	const { status, body } = await service.get(`/v1/nft-market/collections/${coin}?chain=anvil`);
	expect(status).toBe(404);
	expect(body.code).toBe("not_found");
});

test("[ING-04] [API-06] a new contract becomes a collection, is queued, and renamed later", async () => {
	const fresh = await chain.deploy("Plain721", ["Évil  Name <b>!", 5n]);
	await chain.call("Plain721", fresh, "mint", [buyer, 1n]);
	await indexedAll();
	const { status, body } = await service.get(`/v1/nft-market/collections/${fresh}?chain=anvil`);
	expect(status).toBe(200);
	expect(body.market.sync.status).toBe("queued");
	await namedAs(fresh, "Évil Name <b>!");
	const renamed = await service.get("/v1/nft-market/collections/evil-name-b?chain=anvil");
	expect(renamed.status).toBe(200);
	const byAddress = await service.get(
		`/v1/nft-market/collections/0x${fresh.slice(2).toUpperCase()}?chain=anvil`,
	);
	expect(byAddress.body.market.slug).toBe("evil-name-b");
});

test("[ING-04] two contracts with one name get two slugs", async () => {
	const twins = [];
	for (let twin = 0; twin < 2; twin++) {
		const contract = await chain.deploy("Plain721", ["Twin", 0n]);
		await chain.call("Plain721", contract, "mint", [buyer, 1n]);
		await indexedAll();
		await namedAs(contract, "Twin");
		twins.push((await service.get(`/v1/nft-market/collections/${contract}`)).body.market.slug);
	}
	expect(twins).toEqual(["twin", "twin-2"]);
});

test("contracts with a false name are indexed like any other", async () => {
	const liars = [
		await chain.deploy("Liar721", ["0x", 0n]),
		await chain.deploy("Liar721", [`0x${"ff".repeat(31)}`, 0n]),
		await chain.deploy("Liar721", ["0x08c379a0", 1n]),
		await chain.deploy("Liar721", ["0x", 2n]),
		await chain.deploy("Liar721", [`0x${"00".repeat(31)}20${"ff".repeat(32)}`, 0n]),
	];
	for (const liar of liars) {
		await chain.call("Liar721", liar, "mint", [buyer, 1n], { value: 5n });
	}
	await indexedAll();
	for (const liar of liars) {
		const { status, body } = await service.get(`/v1/nft-market/collections/${liar}?chain=anvil`);
		expect(status).toBe(200);
		expect(body.market.slug).toBe(liar);
		expect(body.mint.mintedSupply).toBe(1);
	}
});

test("a log that cannot be decoded is counted and the lane continues", async () => {
	const broken = await chain.deploy("Broken1155");
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const before = await undecoded();
	await chain.call("Broken1155", broken, "lie", [`0x${word(64n)}${word(2n ** 255n)}`]);
	await chain.call("Broken1155", broken, "lie", ["0x00"]);
	const after = await chain.call("Plain721", plain, "mint", [buyer, 1n]);
	expect(await mintsOf(plain, after)).toHaveLength(1);
	expect(await undecoded()).toBe(before + 2);
	expect((await service.get(`/v1/nft-market/collections/${broken}`)).status).toBe(404);
});

async function undecoded(): Promise<number> {
	const text = await (await fetch(`${service.url}/metrics`)).text();
	const line = /^tapeline_logs_undecoded_total\{[^}]*lane="mint"[^}]*\} (\d+)$/m.exec(text);
	return Number(line?.[1] ?? 0);
}

/** Waits for the effect of the metadata job, which is durable and asynchronous. */
async function namedAs(contract: Hex, name: string): Promise<void> {
	await until(async () => {
		const rows = await service.core.db.query<{ name: string | null }>(
			"select name from market_index.collection where address = decode(substr($1, 3), 'hex')",
			[contract],
		);
		return rows[0]?.name === name;
	}, `${contract} is named ${name}`);
}
