import { afterAll, beforeAll, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import {
	createLaneWorld,
	type LaneWorld,
	mintLog,
} from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const range = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** A chain with one mint a block, of which backfill owes everything up to `blocks`. */
async function owingWorld(blocks: number): Promise<LaneWorld> {
	const world = await createLaneWorld(database.db);
	for (const id of range(1, blocks)) world.chain.mine([{ logs: [mintLog(id)] }]);
	await database.db.execute(
		`insert into chain_scanner.gap (chain_id, lane, from_block, to_block, reason)
		values ($1, 'mint', 1, $2, 'restart_behind')`,
		[world.chainId, blocks],
	);
	return world;
}

const untilDrained = async (world: LaneWorld) => {
	while ((await world.gaps()).length > 0);
};

test("[ING-10] a gap is read completely, the newest blocks first, and none of it is published live", async () => {
	const world = await owingWorld(30);
	world.chain.troubles.rangeMax = 10;
	const backfill = world.backfiller();
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual(range(1, 30));
	expect((await world.rows()).some(({ live }) => live)).toBe(false);
	const firsts = [...new Set(world.chain.asked())].slice(0, 3);
	expect(firsts).toEqual(["1..30", "16..30", "24..30"]);
});

test("a refused block does not delay those below it; it stays in a gap, and is read once it answers", async () => {
	const world = await owingWorld(12);
	world.chain.troubles.refused.blocks = new Set([9, 5]);
	const backfill = world.backfiller();
	while ((await world.gaps()).join() !== "5..5 range_refused,9..9 range_refused");
	expect(await world.tokens()).toEqual([1, 2, 3, 4, 6, 7, 8, 10, 11, 12]);
	// The older of the two answers again; the newer one, tried in turn, does not stand before it.
	world.chain.troubles.refused.blocks.delete(5);
	while ((await world.gaps()).join() !== "9..9 range_refused");
	world.chain.troubles.refused.blocks.clear();
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual(range(1, 12));
	const named = world.log.lines.filter(({ level }) => level === "error");
	expect(named.map(({ context }) => context["block"])).toEqual([9, 5]);
});

test("after a failing write the gap holds exactly the missing blocks, and another process reads them", async () => {
	const world = await owingWorld(1_400);
	world.sinkTroubles.fail = (block) => (block === 700 ? new Error("connection lost") : null);
	const first = world.backfiller();
	await first.untilSaid("unexpected");
	await first.stop();
	const [gap] = await world.gaps();
	const written = await world.tokens();
	const [lowest = 0] = written;
	expect(written).toEqual(range(lowest, 1_400));
	expect(gap).toBe(`1..${lowest - 1} restart_behind`);
	world.sinkTroubles.fail = () => null;
	const second = world.backfiller();
	await untilDrained(world);
	await second.stop();
	expect(await world.tokens()).toEqual(range(1, 1_400));
});

test("two processes never read one gap twice", async () => {
	const world = await owingWorld(40);
	world.chain.troubles.rangeMax = 4;
	const backfills = [world.backfiller(), world.backfiller()];
	await untilDrained(world);
	await Promise.all(backfills.map((one) => one.stop()));
	expect(await world.tokens()).toEqual(range(1, 40));
});

test("[ING-09] a range that takes longer than a run is requested in parts", async () => {
	const world = await owingWorld(8);
	world.chain.troubles.before = ({ method, params: [query] }) => {
		if (method !== "eth_getLogs") return;
		const { fromBlock, toBlock } = query as { fromBlock: string; toBlock: string };
		if (Number(toBlock) - Number(fromBlock) > 5) return new Promise(() => {});
	};
	const backfill = world.backfiller({ times: { ceilingMs: 20 } });
	await untilDrained(world);
	await backfill.stop();
	expect(backfill.said).toContain("lane_ceiling");
	expect(await world.tokens()).toEqual(range(1, 8));
});

test("an RPC outage is one line in the log, and the gap is kept", async () => {
	const world = await owingWorld(3);
	world.chain.troubles.down = true;
	const backfill = world.backfiller();
	await backfill.untilSaid("rpc_transport", 8);
	expect(await world.gaps()).toEqual(["1..3 restart_behind"]);
	expect(world.log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
	world.chain.troubles.down = false;
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual([1, 2, 3]);
});

test("[ING-08] after a node states its limit, that many blocks are requested next", async () => {
	const world = await owingWorld(30);
	world.chain.troubles.before = ({ method, params: [query] }) => {
		if (method !== "eth_getLogs") return;
		const { fromBlock, toBlock } = query as { fromBlock: string; toBlock: string };
		if (Number(toBlock) - Number(fromBlock) < 7) return;
		throw rpcFault.range({ meta: { rangeBlocksMax: 7 } });
	};
	const backfill = world.backfiller();
	await untilDrained(world);
	await backfill.stop();
	expect([...new Set(world.chain.asked())].slice(0, 3)).toEqual(["1..30", "24..30", "17..23"]);
});

/** The chain's newest block, as a lane that read it leaves it. */
const readUpTo = (world: LaneWorld) => world.setCursor(world.chain.head());

test("[ING-10] blocks too far below the head are given up, and logged", async () => {
	const world = await owingWorld(100);
	world.chain.mineTo(140);
	await readUpTo(world);
	const backfill = world.backfiller({ lagBlocksMax: 80 });
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual(range(60, 100));
	expect(backfill.said).toContain("gave up 59");
	const [line] = world.log.lines.filter(({ message }) => message.includes("given up"));
	expect(line?.context).toMatchObject({ lane: "mint", from: 1, to: 59, reason: "restart_behind" });
});

test("[ING-10] a head that no lane has read does not cause blocks to be given up", async () => {
	const world = await owingWorld(100);
	world.chain.mineTo(140);
	await readUpTo(world);
	await database.db.execute(
		"update chain_scanner.cursor set head_block = 90000000 where chain_id = $1",
		[world.chainId],
	);
	const backfill = world.backfiller({ lagBlocksMax: 200 });
	await backfill.untilSaid("rpc_inconsistent", 1);
	await database.db.execute(
		"update chain_scanner.cursor set head_block = 140 where chain_id = $1",
		[world.chainId],
	);
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual(range(1, 100));
});

test("[ING-10] blocks that an operator requested are read however old they are", async () => {
	const world = await owingWorld(100);
	world.chain.mineTo(140);
	await readUpTo(world);
	await database.db.execute(
		"update chain_scanner.gap set reason = 'requested' where chain_id = $1",
		[world.chainId],
	);
	const backfill = world.backfiller({ lagBlocksMax: 10 });
	await untilDrained(world);
	await backfill.stop();
	expect(await world.tokens()).toEqual(range(1, 100));
});
