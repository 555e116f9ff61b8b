import { afterAll, beforeAll, expect, test } from "bun:test";
import { LANE_TIMES } from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	createLaneWorld,
	gated,
	type LaneWorker,
	mintLog,
	unitsLog,
} from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createHeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

let database: TestDatabase;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const newWorld = () => createLaneWorld(database.db);

const never = () => expect.unreachable("the lane has a cursor");

const mintOne = (id: number) => [{ value: 0n, logs: [mintLog(id)] }];

test("[ING-03] a first start begins at the head: history is neither read nor a gap", async () => {
	const world = await newWorld();
	for (let id = 1; id <= 5; id++) world.chain.mine(mintOne(id));
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(5);
	world.chain.mine(mintOne(6));
	lane.look();
	await lane.untilIndexed(6);
	await lane.stop();
	expect(await world.tokens()).toEqual([5, 6]);
	expect(await world.gaps()).toEqual([]);
	expect(world.chain.asked().filter((span) => span.startsWith("1.."))).toEqual([]);
});

test("a first start begins at NFT_SCAN_FROM_BLOCK, and reads all blocks from there", async () => {
	const world = await newWorld();
	for (let id = 1; id <= 9; id++) world.chain.mine(mintOne(id));
	const lane = world.worker({ scanFrom: 3 });
	lane.look();
	await lane.untilIndexed(9);
	await lane.stop();
	expect(await world.tokens()).toEqual([3, 4, 5, 6, 7, 8, 9]);
});

test("[ING-03] a restart within one window resumes at its cursor", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	world.chain.mineTo(999);
	world.chain.mine(mintOne(2));
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(1_000);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2]);
	expect(await world.gaps()).toEqual([]);
});

test("[ING-03] a restart further behind begins at the head, and backfill reads the blocks between", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	world.chain.mineTo(700);
	world.chain.mine(mintOne(2));
	world.chain.mineTo(1_300);
	const head = world.chain.mine(mintOne(3));
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(head);
	expect(await world.tokens()).toEqual([3]);
	expect(await world.gaps()).toEqual([`1..${head - 1} restart_behind`]);
	const backfill = world.backfiller();
	while ((await world.gaps()).length > 0);
	await Promise.all([lane.stop(), backfill.stop()]);
	expect(await world.tokens()).toEqual([1, 2, 3]);
	expect(await world.cursor()).toBe(head);
});

test("[ING-03] a failing first write after a long absence does not change the restart rule", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mineTo(1_500);
	const head = world.chain.mine(mintOne(1));
	let failed = 0;
	world.sinkTroubles.fail = () => (failed++ === 0 ? new Error("connection lost") : null);
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(head);
	await lane.stop();
	expect(await world.gaps()).toEqual([`1..${head - 1} restart_behind`]);
	expect(await world.tokens()).toEqual([1]);
});

test("[ING-03] only a restart leaves a gap: a lane that was disconnected catches up in order", async () => {
	const world = await newWorld();
	const lane = world.worker();
	world.chain.mine(mintOne(1));
	lane.look();
	await lane.untilIndexed(1);
	let failed = 0;
	world.sinkTroubles.fail = () => (failed++ === 0 ? new Error("connection lost") : null);
	world.chain.mine(mintOne(2));
	world.chain.mineTo(1_500);
	const head = world.chain.mine(mintOne(3));
	lane.look();
	await lane.untilIndexed(head);
	await lane.stop();
	expect(await world.gaps()).toEqual([]);
	expect(await world.tokens()).toEqual([1, 2, 3]);
});

test("rows and cursor commit together: a failing sink rolls the cursor back, and no row is lost or doubled", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 3; id++) world.chain.mine(mintOne(id));
	world.sinkTroubles.fail = (block) => (block === 3 ? new Error("disk full") : null);
	const lane = world.worker();
	lane.look();
	await lane.untilSaid("unexpected", 2);
	expect(await world.cursor()).toBe(0);
	expect(await world.tokens()).toEqual([]);
	world.sinkTroubles.fail = () => null;
	await lane.untilIndexed(3);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 3]);
	expect(await world.cursor()).toBe(3);
});

test("a process that dies between read and commit loses no row and writes none twice", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 3; id++) world.chain.mine(mintOne(id));
	const gate = gated(world.source);
	const { held, release } = gate.close();
	const first = world.worker({ source: gate.source, stalls: true });
	first.look();
	await held;
	const second = world.worker();
	second.look();
	await second.untilIndexed(3);
	release();
	await Promise.all([first.stop(), second.stop()]);
	expect(await world.tokens()).toEqual([1, 2, 3]);
});

test("[ING-09] a holder that was suspended past its lease cannot write after another took over", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	const gate = gated(world.source);
	const { held, release } = gate.close();
	const stalled = world.worker({ source: gate.source, stalls: true });
	stalled.look();
	await held;
	const other = world.worker();
	// Told of no head, the other one holds the lane and has written nothing: only fencing is left.
	while ((await other.leases.hold(`lane:${world.chainId}:mint`)) === null);
	release();
	await stalled.untilSaid("fenced");
	expect(await world.tokens()).toEqual([]);
	other.look();
	await other.untilIndexed(1);
	await Promise.all([stalled.stop(), other.stop()]);
	expect(await world.tokens()).toEqual([1]);
});

test("[ING-09] runs of one lane in several processes never overlap, and each row is written once", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	const gate = gated(world.source);
	const lanes = [1, 2, 3].map(() => world.worker({ source: gate.source }));
	const any = (block: number) => Promise.race(lanes.map((lane) => lane.untilIndexed(block)));
	for (let id = 1; id <= 12; id++) {
		const head = world.chain.mine(mintOne(id));
		for (const lane of lanes) lane.look();
		await any(head);
		// The one that works leaves; the next takes over without waiting for a lease to run out.
		if (id % 4 === 0 && lanes.length > 1) {
			const index = lanes.findIndex((lane) => lane.said.includes(`indexed ${head}`));
			await lanes.splice(index, 1)[0]?.stop();
		}
	}
	await Promise.all(lanes.map((lane) => lane.stop()));
	expect(gate.seen.activeMax).toBe(1);
	expect(await world.tokens()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test("[ING-09] a run ends at its time limit, also if the node never answers, and then requests less", async () => {
	const world = await newWorld();
	world.chain.mineTo(1_099);
	world.chain.mine(mintOne(1));
	world.chain.troubles.before = ({ params: [query] }) => {
		const { fromBlock, toBlock } = (query ?? {}) as { fromBlock?: string; toBlock?: string };
		const blocks = Number(toBlock) - Number(fromBlock) + 1;
		return blocks > 600 ? new Promise(() => {}) : undefined;
	};
	const lane = world.worker({ scanFrom: 1, times: { ceilingMs: 30 } });
	lane.look();
	await lane.untilIndexed(1_100);
	await lane.stop();
	expect(lane.said).toContain("lane_ceiling");
	// After a look at three blocks.
	expect([...new Set(world.chain.asked())].slice(3, 5)).toEqual(["1..1000", "1..500"]);
	expect(await world.tokens()).toEqual([1]);
});

test("[ING-08] refused ranges are halved, and every block is still read", async () => {
	const world = await newWorld();
	world.chain.mineTo(1_099);
	world.chain.mine(mintOne(1));
	world.chain.troubles.rangeMax = 100;
	const lane = world.worker({ scanFrom: 1 });
	lane.look();
	await lane.untilIndexed(1_100);
	await lane.stop();
	const spans = [...new Set(world.chain.asked())];
	expect(spans.slice(3, 8)).toEqual(["1..1000", "1..500", "1..250", "1..125", "1..62"]);
	expect(await world.tokens()).toEqual([1]);
	expect(await world.gaps()).toEqual([]);
});

for (const code of ["rpc_range", "rpc_refused"] as const) {
	test(`[ING-08] a block refused five times (${code}) is skipped and becomes a gap`, async () => {
		const world = await newWorld();
		await world.setCursor(0);
		for (let id = 1; id <= 6; id++) world.chain.mine(mintOne(id));
		world.chain.troubles.refused = { blocks: new Set([4]), code };
		const lane = world.worker();
		lane.look();
		await lane.untilIndexed(6);
		expect(await world.tokens()).toEqual([1, 2, 3, 5, 6]);
		expect(await world.gaps()).toEqual(["4..4 range_refused"]);
		const alone = world.chain.asked().filter((span) => span === "4..4");
		expect(alone).toHaveLength(5);
		const backfill = world.backfiller();
		await backfill.untilSaid("rpc_range", 6);
		world.chain.troubles.refused.blocks.clear();
		while ((await world.gaps()).length > 0);
		await Promise.all([lane.stop(), backfill.stop()]);
		expect(await world.tokens()).toEqual([1, 2, 3, 4, 5, 6]);
	});
}

test("[ING-08] transport failures never skip a block: a long RPC outage loses no block", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	const lane = world.worker();
	world.chain.mine(mintOne(1));
	world.chain.troubles.down = true;
	lane.look();
	await lane.untilSaid("rpc_transport", 12);
	world.chain.mine(mintOne(2));
	world.chain.troubles.down = false;
	lane.look();
	await lane.untilIndexed(2);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2]);
	expect(await world.gaps()).toEqual([]);
	const warnings = world.log.lines.filter(({ level }) => level === "warn");
	expect(warnings).toHaveLength(1);
});

test("[ING-14] behind a lagging node the cursor never moves past the blocks that were served", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 5; id++) world.chain.mine(mintOne(id));
	world.chain.troubles.lagBlocks = 3;
	const lane = world.worker();
	lane.look();
	await lane.untilSaid("rpc_inconsistent", 3);
	expect(await world.cursor()).toBe(0);
	world.chain.troubles.lagBlocks = 0;
	await lane.untilIndexed(5);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 3, 4, 5]);
});

test("[ING-14] a false head does not stop the lane: it follows the next announced head", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 3; id++) world.chain.mine(mintOne(id));
	const lane = world.worker();
	lane.offerHead({ ...world.chain.headOf(3), number: 5_000_000, hash: "0x5" });
	await lane.untilSaid("rpc_inconsistent");
	lane.look();
	await lane.untilIndexed(3);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 3]);
	expect(await world.gaps()).toEqual([]);
});

test("a node that lags briefly is not logged; one that keeps lagging is logged once, and its recovery too", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	const lane = world.worker();
	const lines = () => world.log.lines.map(({ level, message }) => `${level}: ${message}`);
	let late = 3;
	world.chain.troubles.before = ({ method }) => {
		world.chain.troubles.lagBlocks = late > 0 ? 1 : 0;
		if (method === "eth_getBlockByNumber") late--;
	};
	lane.look();
	await lane.untilIndexed(1);
	expect(lines()).toEqual([]);
	late = 9;
	world.chain.mine(mintOne(2));
	lane.look();
	await lane.untilIndexed(2);
	await lane.stop();
	expect(lines()).toEqual(["warn: the lane waits and tries again", "info: the lane goes on"]);
});

test("a chain without new blocks stays covered while its head is still announced", async () => {
	const world = await newWorld();
	for (let id = 1; id <= 3; id++) world.chain.mine(mintOne(id));
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(3);
	const read = async () => (await readCursor(database.db, world.chainId, "mint")) ?? never();
	const { indexedAtMs } = await read();
	let cursor = await read();
	while ((cursor.levelAtMs ?? 0) <= indexedAtMs) {
		lane.look();
		cursor = await read();
	}
	expect(cursor).toMatchObject({ blockNumber: 3, headBlock: 3, indexedAtMs });
	await lane.stop();
});

test("while the head is lower than before the lane waits: no block is read twice, the cursor is unchanged", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 3; id++) world.chain.mine(mintOne(id));
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(3);
	lane.offerHead(world.chain.headOf(1));
	world.chain.mine(mintOne(4));
	lane.look();
	await lane.untilIndexed(4);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 3, 4]);
});

test("rows that the database refuses skip one block, which becomes a gap, and the lane continues", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	for (let id = 1; id <= 4; id++) world.chain.mine(mintOne(id));
	const overflow = Object.assign(new Error("numeric field overflow"), { code: "22003" });
	world.sinkTroubles.fail = (block) => (block === 2 ? overflow : null);
	const lane = world.worker();
	lane.look();
	await lane.untilIndexed(4);
	expect(await world.tokens()).toEqual([1, 3, 4]);
	expect(await world.gaps()).toEqual(["2..2 rows_refused"]);
	expect(world.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
	world.sinkTroubles.fail = () => null;
	const backfill = world.backfiller();
	while ((await world.gaps()).length > 0);
	await Promise.all([lane.stop(), backfill.stop()]);
	expect(await world.tokens()).toEqual([1, 2, 3, 4]);
});

test("a lane that stops releases its lease, so that a restart continues at once", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	const first = world.worker();
	first.look();
	await first.untilIndexed(1);
	await first.stopLane();
	const [lease] = await database.db.query<{ free: boolean }>(
		"select expires_at <= clock_timestamp() as free from core.lease where name = $1",
		[`lane:${world.chainId}:mint`],
	);
	expect(lease?.free).toBe(true);
	await first.stop();
});

test("stopping during a read ends at once, and the cursor is unchanged", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mine(mintOne(1));
	const { promise: reading, resolve: begun } = Promise.withResolvers<void>();
	world.chain.troubles.before = () => {
		begun();
		return new Promise(() => {});
	};
	const lane = world.worker();
	lane.look();
	await reading;
	await lane.stop();
	expect(await world.cursor()).toBe(0);
	expect(lane.said).toEqual([]);
});

test("where calls are scarce the next range is requested while one is still read", async () => {
	const world = await newWorld();
	await world.setCursor(0);
	world.chain.mineTo(800);
	world.chain.mine(mintOne(1));
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	const asked: string[] = [];
	const read: LaneSource["read"] = async (range, options) => {
		asked.push(`${range.from}..${range.to}`);
		if (asked.length === 1) await held;
		return world.source.read(range, options);
	};
	const lane = world.worker({ source: { kind: world.source.kind, isScarce: () => true, read } });
	lane.look();
	await until(() => asked.length > 1, "the next range is requested");
	expect(await world.cursor()).toBe(0);
	release();
	await lane.untilIndexed(801);
	await lane.stop();
	expect(asked).toEqual(["1..737", "738..801"]);
	expect(await world.tokens()).toEqual([1]);
});

test("[ING-05] a lane reads logs and values from the node, and only its own cursor from the database", async () => {
	const world = await newWorld();
	world.chain.mine([{ value: 30n, logs: [mintLog(1), unitsLog(7n, 2n)] }]);
	const lane: LaneWorker = world.worker();
	lane.look();
	await lane.untilIndexed(1);
	await lane.stop();
	expect(new Set(world.chain.calls.map(({ method }) => method))).toEqual(
		new Set(["eth_getLogs", "eth_getTransactionByHash"]),
	);
	const rows = await world.rows();
	expect(rows.map(({ token_id, units, total }) => [token_id, units, total])).toEqual([
		["1", "1", "10"],
		["7", "2", "20"],
	]);
	expect(rows.every(({ live }) => live)).toBe(true);
});

test("[ING-09] the time limit of a lane's run is 20 s", () => {
	expect(LANE_TIMES.ceilingMs).toBe(20_000);
});

test("[API-18] a lane that catches up reports the chain's head, not its own position", async () => {
	const world = await newWorld();
	world.chain.mineTo(2_500);
	world.chain.troubles.before = ({ params: [query] }) => {
		const { fromBlock } = (query ?? {}) as { fromBlock?: string };
		return Number(fromBlock) > 1_000 ? new Promise(() => {}) : undefined;
	};
	const lane = world.worker({ scanFrom: 1 });
	lane.look();
	await lane.untilIndexed(1_000);
	const cursor = await readCursor(database.db, world.chainId, "mint");
	expect(cursor).toMatchObject({ blockNumber: 1_000, headBlock: 2_500 });
	await lane.stop();
});

test("a lane that is ordered after others reads a new block after them, and other lanes at once", async () => {
	const world = await newWorld();
	world.chain.mine(mintOne(1));
	const others = Promise.withResolvers<void>();
	// Waits for as long as the test does: the real one gives up after a while.
	const gate = { ...createHeadGate(), idle: () => others.promise };
	/** A follower that were inside the gate would wait for itself. */
	const outside = {
		...gate,
		enter() {
			order.push("a follower entered");
			return () => {};
		},
	};
	const order: string[] = [];
	const told = (name: string): LaneSource["read"] => {
		return (range, options) => {
			order.push(name);
			return world.source.read(range, options);
		};
	};
	const source = { ...world.source, kind: "sale", inOrder: true, read: told("follower") } as const;
	const follower = world.worker({ gate: outside, source });
	follower.look();
	const first = world.worker({ gate, source: { ...world.source, read: told("first") } });
	// All that time the follower has its lease, its place and the block to read.
	for (let block = 1; block <= 4; block++) {
		if (block > 1) world.chain.mine(mintOne(block));
		first.look();
		await first.untilIndexed(block);
	}
	order.push("the others are done");
	others.resolve();
	await follower.untilIndexed(1);
	await Promise.all([first.stop(), follower.stop()]);
	expect(order.slice(-2)).toEqual(["the others are done", "follower"]);
	expect(order.filter((name) => name === "first")).toHaveLength(4);
	expect(order).not.toContain("a follower entered");
});
