import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import {
	createPushedLogs,
	type PushedFate,
} from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

type World = Awaited<ReturnType<typeof newWorld>>;

/** A chain whose node pushes logs, and one lane that listens to them, level with block 2. */
async function newWorld() {
	const world = await createLaneWorld(database.db, { blooms: true });
	const fates: PushedFate[] = [];
	const { steps } = world.source;
	assert(steps, "the mint lane takes in what is pushed");
	const pushed = createPushedLogs(steps.filters, (fate) => fates.push(fate));
	const start = () => world.worker({ scanFrom: 0, pushed });
	const lane = start();
	mint(world, 1);
	mint(world, 2);
	lane.look();
	await lane.untilIndexed(2);
	return { ...world, pushed, fates, lane, start };
}

function mint(world: Pick<Awaited<ReturnType<typeof createLaneWorld>>, "chain">, ...ids: number[]) {
	world.chain.mine(ids.map((id) => ({ value: 7n, logs: [mintLog(id)] })));
}

/** What the node would push of its newest block. */
async function logsOf({ chain }: World): Promise<Record<string, unknown>[]> {
	const params = [{ blockHash: chain.hashOf(chain.head()), topics: [] }];
	const logs = await chain.rpc.call({ method: "eth_getLogs", params });
	return structuredClone(logs) as Record<string, unknown>[];
}

/** Holds back what the node says of logs until it is let go. */
function holdAnswers({ chain }: World) {
	const { promise, resolve } = Promise.withResolvers<void>();
	chain.troubles.before = ({ method }) => (method === "eth_getLogs" ? promise : undefined);
	return () => {
		chain.troubles.before = () => {};
		resolve();
	};
}

async function push({ pushed }: World, logs: readonly unknown[]) {
	for (const log of logs) pushed.listener.onLog(log);
}

async function untilStored(world: World, ids: readonly number[]) {
	while (!Bun.deepEquals(await world.tokens(), ids));
}

test("a pushed block is stored before the node answers, and the cursor moves when the answer agrees", async () => {
	const world = await newWorld();
	mint(world, 3, 4);
	const logs = await logsOf(world);
	const letGo = holdAnswers(world);
	await push(world, logs);
	world.lane.look();
	await untilStored(world, [1, 2, 3, 4]);
	expect(await world.cursor()).toBe(2);
	const asked = world.chain.calls.length;
	letGo();
	await world.lane.untilIndexed(3);
	await world.lane.stop();
	// Each row once, and no value asked for twice.
	expect(await world.tokens()).toEqual([1, 2, 3, 4]);
	expect(await world.cursor()).toBe(3);
	const methods = world.chain.calls.slice(asked).map(({ method }) => method);
	expect(methods.filter((method) => method !== "eth_getLogs")).toEqual([]);
	expect(world.fates).toEqual(["taken", "same", "agreed"]);
});

test("events that the push lacked are added, and those already published are unchanged", async () => {
	const world = await newWorld();
	mint(world, 3, 4);
	const [first] = await logsOf(world);
	const letGo = holdAnswers(world);
	await push(world, [first]);
	world.lane.look();
	await untilStored(world, [1, 2, 3]);
	letGo();
	await world.lane.untilIndexed(3);
	await world.lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 3, 4]);
	expect([world.fates, world.lane.said.includes("taken back")]).toEqual([
		["taken", "added"],
		false,
	]);
});

/** The same log of a token that was never minted. */
function forge(log: Record<string, unknown>): Record<string, unknown> {
	const topics = log["topics"] as Hex[];
	return { ...log, topics: [...topics.slice(0, 3), `0x${"9".repeat(64)}`], logIndex: "0x7" };
}

test("a pushed log that does not exist is removed, and other lanes read the block again", async () => {
	const world = await newWorld();
	const asSales = { ...world.source, kind: "sale" } as const;
	const other = world.worker({ scanFrom: 0, source: asSales, times: { idleWaitMs: 600_000 } });
	mint(world, 3);
	const logs = await logsOf(world);
	other.look();
	await other.untilIndexed(3);
	const letGo = holdAnswers(world);
	await push(world, [...logs, ...logs.map(forge)]);
	world.lane.look();
	await world.lane.untilSaid("indexed 2");
	while ((await world.tokens()).length < 7);
	letGo();
	await world.lane.untilIndexed(3);
	expect(world.fates).toEqual(["taken", "retracted"]);
	// As its service does on the lane's word.
	other.doubt();
	await world.untilLevel("sale");
	await Promise.all([world.lane.stop(), other.stop()]);
	expect(await world.tokens()).toEqual([1, 1, 2, 2, 3, 3]);
});

test("events that a crashed process stored early are removed before the next ones are stored", async () => {
	const world = await newWorld();
	mint(world, 3);
	const logs = await logsOf(world);
	const letGo = holdAnswers(world);
	await push(world, [...logs, ...logs.map(forge)]);
	world.lane.look();
	while ((await world.tokens()).length < 4);
	await world.lane.stop();
	letGo();
	expect(await world.tokens()).toHaveLength(4);
	const next = world.start();
	next.look();
	await next.untilIndexed(3);
	await next.stop();
	expect(next.said.indexOf("taken back")).toBeLessThan(next.said.indexOf("indexed 3"));
	expect(await world.tokens()).toEqual([1, 2, 3]);
});

test("a pushed block that no node has is removed", async () => {
	const world = await newWorld();
	mint(world, 3);
	const logs = await logsOf(world);
	const head = world.chain.headOf(3);
	world.chain.drop(1);
	const letGo = holdAnswers(world);
	await push(world, logs);
	world.lane.offerHead(head);
	await untilStored(world, [1, 2, 3]);
	letGo();
	// The chain rests at the block below: nothing else would tell.
	world.lane.look();
	await untilStored(world, [1, 2]);
	mint(world, 13);
	world.lane.look();
	await world.untilLevel();
	await world.lane.stop();
	expect(await world.tokens()).toEqual([1, 2, 13]);
});

test("a block that does not follow the lane's last block is not stored early", async () => {
	const world = await newWorld();
	mint(world, 3);
	mint(world, 4);
	await push(world, await logsOf(world));
	world.lane.look();
	await world.lane.untilIndexed(4);
	world.chain.drop(1);
	mint(world, 14);
	await push(world, await logsOf(world));
	world.lane.look();
	await world.untilLevel();
	await world.lane.stop();
	expect(world.fates).not.toContain("taken");
	expect(await world.tokens()).toEqual([1, 2, 3, 14]);
});
