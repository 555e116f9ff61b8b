import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RpcInconsistency } from "#core/chain/rpc/RpcInconsistency.ts";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import type { FakeTroubles } from "#test/harness/fakeChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever a node tells, nothing wrong reaches the index, and the lane goes on as soon
// as the truth is told.

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

type Log = { blockNumber: string; logIndex: string; address: string; data: string };
/** Changes the logs of block 3, in answers to `eth_getLogs` alone. */
const logsOf3 =
	(change: (logs: Log[]) => object[]): FakeTroubles["tamper"] =>
	({ method }, answer) => {
		if (method !== "eth_getLogs" || !Array.isArray(answer)) return answer;
		const [mine, others] = [answer.filter(isOf3), answer.filter((log: Log) => !isOf3(log))];
		return mine.length > 0 ? [...others, ...change(mine)] : answer;
	};
const isOf3 = ({ blockNumber }: Log) => Number(blockNumber) === 3;
const hash = `0x${"e".repeat(64)}` as const;

const lies: [string, RpcInconsistency | null, FakeTroubles["tamper"]][] = [
	["leaves all logs of a block out", "missing_logs", logsOf3(() => [])],
	[
		"invents a log",
		"foreign_log",
		logsOf3(([log]) => [
			{ ...log },
			{ ...log, logIndex: "0x9", address: `0x${"99".repeat(20)}`, data: "0x" },
		]),
	],
	[
		"sends the logs of another fork",
		"hash_mismatch",
		logsOf3(([log]) => [{ ...log, blockHash: hash }]),
	],
	[
		"has two logs at one place",
		"duplicate_log",
		logsOf3(([log]) => [{ ...log }, { ...log, data: "0x01" }]),
	],
	["sends a log of no range", "foreign_log", logsOf3(([log]) => [{ ...log, blockNumber: "0x99" }])],
	["sends what is no log", "malformed", logsOf3(() => [{ address: 7 }])],
	[
		"has headers that do not follow one another",
		"hash_mismatch",
		({ method, params }, answer) =>
			method === "eth_getBlockByNumber" && Number(params[0]) === 4 && answer
				? { ...answer, parentHash: hash }
				: answer,
	],
	[
		"does not have the block it announced",
		null,
		({ method, params }, answer) =>
			method === "eth_getBlockByNumber" && Number(params[0]) >= 3 ? null : answer,
	],
];

for (const [what, kind, tamper] of lies) {
	test(`[ING-14] a node that ${what} teaches nothing wrong, and the lane goes on afterwards`, async () => {
		const world = await createLaneWorld(database.db, { blooms: true });
		const { chain } = world;
		const lane = world.worker({ scanFrom: 0 });
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.mine([{ logs: [mintLog(2)] }]);
		lane.look();
		await lane.untilIndexed(2);
		chain.troubles.tamper = tamper;
		chain.mine([{ logs: [mintLog(3)] }]);
		chain.mine([{ logs: [mintLog(4)] }]);
		lane.look();
		await lane.untilSaid("rpc_inconsistent", 2);
		expect(await world.tokens()).toEqual([1, 2]);
		expect(await world.cursor()).toBe(2);
		expect(new Set(chain.distrusted)).toEqual(new Set(kind ? [kind] : []));
		chain.troubles.tamper = (_, answer) => answer;
		lane.look();
		await lane.untilIndexed(4);
		await lane.stop();
		expect(await world.tokens()).toEqual([1, 2, 3, 4]);
		expect(await world.gaps()).toEqual([]);
	});
}

test("[ING-14] a head of the far future moves nothing, and the next true one is followed", async () => {
	const world = await createLaneWorld(database.db, { blooms: true });
	const lane = world.worker({ scanFrom: 0 });
	world.chain.mine([{ logs: [mintLog(1)] }]);
	lane.look();
	await lane.untilIndexed(1);
	lane.offerHead({ ...world.chain.headOf(1), hash, number: 50_000_000 });
	await lane.untilSaid("rpc_inconsistent", 2);
	expect(await world.cursor()).toBe(1);
	world.chain.mine([{ logs: [mintLog(2)] }]);
	lane.look();
	await lane.untilIndexed(2);
	await lane.stop();
	expect(await world.tokens()).toEqual([1, 2]);
	expect(await world.gaps()).toEqual([]);
});

test("chains with empty blooms, and nodes without block receipts, are followed like others", async () => {
	for (const trouble of [{ emptyBlooms: true }, { receipts: false }]) {
		const world = await createLaneWorld(database.db, { blooms: true });
		Object.assign(world.chain.troubles, trouble);
		const lane = world.worker({ scanFrom: 0 });
		for (const id of [1, 2, 3]) world.chain.mine([{ logs: [mintLog(id)] }]);
		lane.look();
		await lane.untilIndexed(3);
		await lane.stop();
		expect(await world.tokens()).toEqual([1, 2, 3]);
		expect(lane.said.filter((word) => word.startsWith("rpc"))).toEqual([]);
	}
});
