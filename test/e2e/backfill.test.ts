import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { type RpcProxy, startRpcProxy } from "#test/harness/proxies.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

// Guarantee: `svc backfill` ends with exactly the rows of an index that was read from the first
// block on, however often it is killed on the way and whatever else writes meanwhile.

const ROOT = join(import.meta.dir, "../..");
const LAST = 2_400;
const MINTS = 30;
const EVERY = 80;
const ASK_EVERY_MS = 5;

let anvil: Anvil;
let proxy: RpcProxy;
let linear: TestService;
let database: TestDatabase;

beforeAll(async () => {
	anvil = await startAnvil();
	const chain = await fixturesOn(anvil);
	const plain = await chain.deploy("Plain721", ["Plain Things", 10n]);
	const editions = await chain.deploy("Plain1155");
	const buyer: Hex = "0x00000000000000000000000000000000000b0b01";
	for (let index = 0; index < MINTS; index++) {
		await anvil.rpc("anvil_mine", [`0x${EVERY.toString(16)}`]);
		await chain.call("Plain721", plain, "mint", [buyer, 3n], { value: 3n * 10n ** 15n });
		await chain.call("Plain1155", editions, "mint", [buyer, BigInt(index), 2n], { value: 500n });
	}
	await anvil.rpc("anvil_mine", ["0x100"]);
	proxy = await startRpcProxy(anvil.url);
	linear = await startTestService({ chain: anvil });
	database = await createTestDatabase();
	await linear.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
});

afterAll(async () => {
	await linear?.stop();
	await linear?.database.drop();
	await database?.drop();
	proxy?.stop();
	await anvil?.stop();
});

function svc(...args: string[]) {
	const child = Bun.spawn([process.execPath, "api/cli/svc.ts", ...args], {
		cwd: ROOT,
		stdout: "pipe",
		stderr: "pipe",
		env: {
			...process.env,
			DATABASE_URL: database.connectionString,
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [proxy.url] }),
			LOG_LEVEL: "error",
		},
	});
	return {
		child,
		async ended() {
			const [out, notes] = await Promise.all([
				new Response(child.stdout).text(),
				new Response(child.stderr).text(),
			]);
			return { code: await child.exited, lines: out.trim().split("\n"), notes };
		},
	};
}
const backfill = (from: number, to: number) =>
	svc("backfill", "--chain", "anvil", "--from", String(from), "--to", String(to));

/** Returns everything that readers see of a database up to a block, in a fixed order. */
async function contentOf({ db }: Pick<TestDatabase, "db">) {
	const events = await db.query(
		`select c.address, e.block_number, e.log_index, e.sub_index, e.kind, e.accepted,
			e.occurred_at, e.block_hash, e.transaction_hash, e.from_address, e.to_address, e.token_id,
			e.quantity, e.currency, e.total_raw, e.total_native, e.venue, e.reason
		from market_index.event as e join market_index.collection as c on c.id = e.collection_id
		where e.block_number <= $1 order by e.block_number, e.log_index, e.sub_index`,
		[LAST],
	);
	const figures = await db.query(
		`select c.address, r.bucket, r.sales, r.units, r.mints, r.volume
		from market_index.rollup_minute as r join market_index.collection as c on c.id = r.collection_id
		where r.bucket < (
			select date_trunc('minute', max(occurred_at)) from market_index.event where block_number <= $1
		) order by c.address, r.bucket`,
		[LAST],
	);
	return { events, figures };
}

const leftIn = async () => {
	const rows = await database.db.query<{ left: number }>(
		"select coalesce(sum(to_block - from_block + 1), 0)::int8 as left from chain_scanner.gap",
	);
	return rows[0]?.left ?? 0;
};

async function until(holds: () => Promise<boolean>): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt) {
		if (await holds()) return;
		await Bun.sleep(ASK_EVERY_MS);
	}
	throw new Error("what was waited for did not happen");
}

test("[ING-10] a backfill that is killed and restarted gives the same rows as a linear index", async () => {
	// After a first call by each lane and a window or two the backfill is certainly half done.
	proxy.answerLogs(4);
	const first = backfill(0, LAST);
	await proxy.failures(2);
	await until(async () => (await leftIn()) < 2 * (LAST + 1));
	proxy.fail(true);
	first.child.kill("SIGKILL");
	await first.ended();
	const left = await leftIn();
	expect(left).toBeGreaterThan(0);
	expect(left).toBeLessThan(2 * (LAST + 1));

	// While the node is still away it waits and says so, and Ctrl-C ends it cleanly.
	const waiting = backfill(0, LAST);
	await proxy.failures(4);
	waiting.child.kill("SIGINT");
	expect((await waiting.ended()).code).toBe(130);
	expect(await leftIn()).toBe(left);

	proxy.fail(false);
	const second = await backfill(0, LAST).ended();
	expect(second.notes).toMatch(/goes on with what is left \((mint, sale|mint|sale)\)/);
	expect(second.code).toBe(0);
	const end = JSON.parse(second.lines.at(-1) ?? "");
	expect(end).toMatchObject({ chain: "anvil", state: "done", blocksLeft: 0 });
	expect(await leftIn()).toBe(0);
	const { events, figures } = await contentOf(database);
	expect(events.length).toBeGreaterThan(100);
	expect({ events, figures }).toEqual(await contentOf(linear.database));
});

test("[ING-10] a backfill of blocks that lanes have indexed reads them again and changes nothing", async () => {
	const before = await contentOf(linear.database);
	const child = Bun.spawn(
		[
			process.execPath,
			"api/cli/svc.ts",
			"backfill",
			"--chain",
			"anvil",
			"--from",
			"1",
			"--to",
			"2000",
		],
		{
			cwd: ROOT,
			stdout: "pipe",
			stderr: "pipe",
			env: {
				...process.env,
				DATABASE_URL: linear.database.connectionString,
				CHAINS: "anvil",
				CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [anvil.url] }),
				LOG_LEVEL: "error",
			},
		},
	);
	const out = await new Response(child.stdout).text();
	expect(await child.exited).toBe(0);
	// The service holds the chain's backfill: the command hands its work to it, and watches.
	const states = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line).state);
	expect(new Set(states)).toEqual(new Set(["watching", "done"]));
	expect(await contentOf(linear.database)).toEqual(before);
});

const refusals: [string[], string][] = [
	[["--chain", "atlantis", "--from", "1", "--to", "2"], 'names "atlantis". CHAINS has: anvil'],
	[["--chain", "anvil", "--from", "9", "--to", "2"], "--from 9 lies above --to 2"],
	[["--chain", "anvil", "--from", "1", "--to", "99999999"], "lies above the head of the chain"],
];
for (const [args, words] of refusals) {
	test(`backfill ${args.join(" ")} is refused with a sentence, and leaves no gap`, async () => {
		const { code, notes } = await svc("backfill", ...args).ended();
		expect(code).toBe(78);
		expect(notes).toContain(words);
		expect(notes).not.toContain("    at ");
		expect(await leftIn()).toBe(0);
	});
}

test("[ING-11] rewind requires a confirmation, and removes the rows above the block", async () => {
	const asked = await svc("rewind", "--chain", "anvil", "--to", "1500").ended();
	expect([asked.code, asked.notes.includes("add --yes")]).toEqual([78, true]);
	const highest = async () => {
		const [row] = await database.db.query<{ block: number }>(
			"select max(block_number) as block from market_index.event",
		);
		return row?.block ?? 0;
	};
	expect(await highest()).toBeGreaterThan(1_500);
	const done = await svc("rewind", "--chain", "anvil", "--to", "1500", "--yes").ended();
	expect(done.code).toBe(0);
	expect(await highest()).toBeLessThanOrEqual(1_500);
});
