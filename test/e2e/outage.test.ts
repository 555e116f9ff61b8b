import { afterEach, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startRpcProxy } from "#test/harness/proxies.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: whatever happens to the RPC or to the process, nothing is lost and nothing is there
// twice.

const buyer: Hex = "0x00000000000000000000000000000000000b0b01";
const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
	for (const step of undo.splice(0).reverse()) await step();
});

async function world() {
	const anvil = await startAnvil();
	undo.push(() => anvil.stop());
	const chain = await fixturesOn(anvil);
	const plain = await chain.deploy("Plain721", ["Lasting", 0n]);
	const mint = (count: bigint) => chain.call("Plain721", plain, "mint", [buyer, count]);
	return { anvil, plain, mint };
}

const headOf = async (anvil: Anvil) => Number(await anvil.rpc<Hex>("eth_blockNumber"));

async function tokensOf(service: TestService): Promise<number[]> {
	const rows = await service.core.db.query<{ id: string }>(
		"select token_id as id from market_index.event where kind = 2 order by token_id",
	);
	return rows.map(({ id }) => Number(id));
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("an RPC outage causes delay and no loss", async () => {
	const { anvil, mint } = await world();
	const proxy = await startRpcProxy(anvil.url);
	undo.push(async () => proxy.stop());
	const service = await startTestService({ chain: proxy });
	undo.push(
		() => service.database.drop(),
		() => service.stop(),
	);
	await mint(3n);
	await service.indexed(await headOf(anvil));
	proxy.fail(true);
	await mint(4n);
	await proxy.failures(5);
	await mint(1n);
	proxy.fail(false);
	await service.indexed(await headOf(anvil));
	expect(await tokensOf(service)).toEqual(upTo(8));
	expect(await failures(service, "rpc_transport")).toBeGreaterThan(0);
});

test("an RPC of another chain is refused, logged once, and none of its data is indexed", async () => {
	const { anvil, mint } = await world();
	await mint(2n);
	const lines: string[] = [];
	const note = (message: string) => void lines.push(message);
	const log = { debug() {}, info() {}, warn: note, error: note, with: () => log };
	const proxy = await startRpcProxy(anvil.url);
	undo.push(async () => proxy.stop());
	proxy.pretendChain(1);
	const service = await startTestService({ chain: proxy, log });
	undo.push(
		() => service.database.drop(),
		() => service.stop(),
	);
	await proxy.calls("eth_chainId", 5);
	expect(await tokensOf(service)).toEqual([]);
	expect(lines.filter((line) => line.includes("another chain"))).toHaveLength(1);
	expect(await failures(service, "rpc_wrong_chain")).toBeGreaterThan(0);
	expect((await service.get("/readyz")).status).toBe(503);
	const { status } = await service.get("/v1/nft-market/collections?chain=anvil");
	expect(status).toBe(200);
	proxy.pretendChain(null);
	await service.indexed(await headOf(anvil));
	expect(await tokensOf(service)).toEqual(upTo(2));
});

test("[ING-03] a restart continues from its cursor: no event is lost or stored twice", async () => {
	const { anvil, mint, plain } = await world();
	await mint(2n);
	const first = await startTestService({ chain: anvil });
	undo.push(() => first.database.drop());
	await first.indexed(await headOf(anvil));
	await first.stop();
	await mint(5n);
	const second = await startTestService({ chain: anvil, database: first.database });
	undo.push(() => second.stop());
	await second.indexed(await headOf(anvil));
	expect(await tokensOf(second)).toEqual(upTo(7));
	const { body } = await second.get(`/v1/nft-market/collections/${plain}?chain=anvil`);
	expect(body.mint.mintedSupply).toBe(7);
});

test("[ING-03] a first start begins at the head, without history", async () => {
	const { anvil, mint } = await world();
	await mint(3n);
	await anvil.rpc("anvil_mine", ["0x5"]);
	const service = await startTestService({ chain: anvil, scanFrom: null });
	undo.push(
		() => service.database.drop(),
		() => service.stop(),
	);
	await service.indexed(await headOf(anvil));
	expect(await tokensOf(service)).toEqual([]);
	await mint(1n);
	await service.indexed(await headOf(anvil));
	expect(await tokensOf(service)).toEqual([4]);
});

test("[ING-03] a restart far behind begins at the head, and backfill reads the blocks between", async () => {
	const { anvil, mint } = await world();
	await mint(1n);
	const first = await startTestService({ chain: anvil });
	undo.push(() => first.database.drop());
	await first.indexed(await headOf(anvil));
	await first.stop();
	await mint(2n);
	await anvil.rpc("anvil_mine", ["0x5dc"]);
	await mint(3n);
	const second = await startTestService({ chain: anvil, database: first.database });
	undo.push(() => second.stop());
	await second.indexed(await headOf(anvil));
	await drained(second);
	expect(await tokensOf(second)).toEqual(upTo(6));
});

/** Returns what `/metrics` counts of a kind of failure, all lanes and the head together. */
async function failures(service: TestService, code: string): Promise<number> {
	const text = await (await fetch(`${service.url}/metrics`)).text();
	const lines = text.split("\n").filter((line) => {
		return line.startsWith("tapeline_lane_failures_total{") && line.includes(`code="${code}"`);
	});
	return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Waits until no gap is owed. */
async function drained(service: TestService): Promise<void> {
	await until(
		async () => (await service.core.db.query("select 1 from chain_scanner.gap")).length === 0,
		"backfill owes no block",
	);
}
