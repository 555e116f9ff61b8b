import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { RANGE_FAILURES_MAX, REORG_DEPTH_LEAST } from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import { distrustingSource } from "#plugins/chain-scanner/range/sources.ts";
import {
	createLaneWorld,
	type LaneWorld,
	mintLog,
} from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: one block that no node tells soundly holds up no other block.

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

type Log = Record<string, unknown> & { blockNumber: Hex; logIndex: Hex; transactionHash: Hex };
type Sent = Record<string, unknown> & { blockHash: Hex };
/** Changes what a node says of one block: its logs, or a transaction of it. */
type Odd = {
	what: string;
	logs?: (logs: Log[]) => unknown[];
	sent?: (transaction: Sent) => unknown;
	/** What is asked for otherwise, as by a transaction's place, is right. */
	otherwise?: boolean;
};

const NOBODY: Hex = `0x${"0".repeat(64)}`;
const STRANGE: Hex = `0x${"e".repeat(64)}`;
/** Of any block there is at least one log. */
const first = (change: Record<string, unknown>) => (logs: Log[]) => {
	const [one, ...rest] = logs;
	return [{ ...one, ...change }, ...rest];
};
const beside = (change: Record<string, unknown>) => (logs: Log[]) => [
	...logs,
	{ ...logs[0], ...change },
];
const FIELDS: Record<string, unknown[]> = {
	address: ["0x12", 7, null, "nobody"],
	topics: [7, [STRANGE, STRANGE, STRANGE, STRANGE, STRANGE], ["0x12"], null],
	data: ["0x1", 7, "lots"],
	blockHash: [STRANGE, "0x12", null],
	transactionHash: [NOBODY, "0x12", null],
	transactionIndex: ["first", null, "0xfffffffffff"],
	logIndex: ["last", null, "0xfffffffffff"],
};
const SAID_WRONG: Odd[] = Object.entries(FIELDS).flatMap(([field, values]) => {
	return values.map((value): Odd => {
		return {
			what: `a log's ${field} is ${JSON.stringify(value)}`,
			logs: first({ [field]: value }),
		};
	});
});
const KINDS: Odd[] = [
	...SAID_WRONG,
	{ what: "two logs at one place", logs: beside({ data: "0x01" }) },
	{
		what: "two logs at one place, of two transactions",
		logs: beside({ transactionHash: STRANGE }),
	},
	{ what: "a log of two blocks", logs: beside({ logIndex: "0x9", blockHash: STRANGE }) },
	{ what: "a log of a block beyond", logs: beside({ logIndex: "0x9", blockNumber: "0xffff" }) },
	{ what: "no log at all", logs: () => [7] },
	{ what: "a list in place of a log", logs: () => [[]] },
	{ what: "no list of logs", logs: () => "many" as unknown as unknown[] },
	{ what: "a transaction that is not served", sent: () => null },
	{ what: "one served by its place alone", sent: () => null, otherwise: true },
	{ what: "another one under its hash", sent: (sent) => ({ ...sent, hash: STRANGE }) },
	{ what: "one of another block", sent: (sent) => ({ ...sent, blockHash: STRANGE }) },
	{ what: "one that paid what is no amount", sent: (sent) => ({ ...sent, value: "lots" }) },
	{ what: "one without a value", sent: ({ value: _, ...sent }) => sent },
	{ what: "one as a text", sent: () => "lots" },
	{ what: "logs without places", logs: (logs) => logs.map(({ logIndex: _, ...log }) => log) },
	{ what: "logs without a block", logs: (logs) => logs.map(({ blockHash: _, ...log }) => log) },
	{ what: "one transaction for the logs of two blocks", logs: first({ transactionHash: STRANGE }) },
];

/** Endpoints that tell of the same chain; the first `odd` of them tell of some blocks oddly. */
function endpointsOf(world: LaneWorld, kinds: ReadonlyMap<number, Odd>, odd: number, of: number) {
	const { chain } = world;
	let asked = 0;
	let isHealed = false;
	const hashes = new Map([...kinds].map(([block, kind]) => [chain.hashOf(block), kind]));
	chain.troubles.tamper = ({ method }: RpcCall, answer) => {
		if (isHealed || asked % of >= odd) return answer;
		if (method === "eth_getLogs" && Array.isArray(answer)) {
			const byBlock = Map.groupBy(answer as Log[], ({ blockNumber }) => Number(blockNumber));
			const told = [...byBlock].map(([block, logs]) => kinds.get(block)?.logs?.(logs) ?? logs);
			return told.length === 1 ? told[0] : told.flat();
		}
		if (method === "eth_getTransactionByHash" && answer) {
			const sent = structuredClone(answer) as Sent;
			const kind = hashes.get(sent.blockHash);
			return kind?.sent ? kind.sent(sent) : answer;
		}
		return answer;
	};
	const { batch } = chain.rpc;
	const rpc: Rpc = {
		...chain.rpc,
		async batch(calls, options) {
			if (calls[0]?.method !== "eth_getTransactionByBlockHashAndIndex")
				return batch(calls, options);
			// The fake chain does not offer it: it tells the block, and the place in it.
			return Promise.all(
				calls.map(async ({ params: [hash, index] }) => {
					const params = [hash, true];
					const block = await chain.rpc.call({ method: "eth_getBlockByHash", params });
					const found = (block as { transactions: unknown[] }).transactions[Number(index)];
					const isServed = isHealed || hashes.get(hash as Hex)?.otherwise === true;
					return isServed ? found : null;
				}),
			);
		},
		distrust() {
			asked++;
		},
	};
	const quiet = { undecoded() {}, noise() {}, unlisted() {} };
	return {
		source: distrustingSource(mintSource(rpc, quiet), rpc),
		heal() {
			isHealed = true;
		},
	};
}

const BLOCKS = 40;
/** Nodes need no time to come to themselves here. */
const times = { oddBlockWaitMs: 1 };
const ODD_BLOCKS = 8;

async function worldWith(seed: number) {
	const world = await createLaneWorld(database.db);
	const prng = createPrng(seed);
	for (let id = 1; id <= BLOCKS; id++)
		world.chain.mine([{ value: BigInt(id), logs: [mintLog(id)] }]);
	// Half of them have settled.
	world.chain.mineTo(BLOCKS / 2 + REORG_DEPTH_LEAST);
	const kinds = new Map<number, Odd>();
	while (kinds.size < ODD_BLOCKS) {
		const kind = KINDS[prng.int(KINDS.length)];
		const block = 1 + prng.int(BLOCKS);
		if (kind) kinds.set(block, kind);
	}
	return { world, kinds };
}

const RUNS = Math.ceil((process.env["PROVE"] === "1" ? 2_000 : 200) / ODD_BLOCKS / 2);

describe("odd blocks", () => {
	test("there are 40 kinds of odd blocks", () => {
		expect(KINDS.length).toBeGreaterThanOrEqual(40);
	});

	for (const [name, odd, of] of [
		["one endpoint", 1, 1],
		["two endpoints that both tell them", 2, 2],
	] as const) {
		test(
			`[ING-08] with ${name} every sound block is indexed, and odd ones are gaps that heal (TEST_SEED=${TEST_SEED})`,
			async () => {
				for (let run = 0; run < RUNS; run++) {
					const { world, kinds } = await worldWith(TEST_SEED * 1_000 + run);
					const { source, heal } = endpointsOf(world, kinds, odd, of);
					const lane = world.worker({ scanFrom: 1, source, times });
					lane.look();
					await lane.untilIndexed(world.chain.head());
					await lane.stop();
					const unread = [...kinds].filter(([, kind]) => !kind.otherwise);
					const sound = Array.from({ length: BLOCKS }, (_, at) => at + 1).filter((block) => {
						return !unread.some(([odd]) => odd === block);
					});
					const told = [...kinds].map(([block, { what }]) => `${block}: ${what}`).join("; ");
					expect(await world.tokens(), told).toEqual(sound);
					const gaps = await world.gaps();
					expect(gaps.every((gap) => gap.endsWith("contradicted"))).toBe(true);
					const owed = gaps.flatMap((gap) => {
						const [from = 0, to = 0] = gap.split(" ")[0]?.split("..").map(Number) ?? [];
						return Array.from({ length: to - from + 1 }, (_, at) => from + at);
					});
					expect(owed, told).toEqual(unread.map(([block]) => block).sort((a, b) => a - b));
					heal();
					const backfill = world.backfiller({ sources: [source] });
					await world.untilOwesNothing();
					await backfill.stop();
					const rows = await world.rows();
					expect(rows.map(({ block, token_id, total }) => [block, token_id, total])).toEqual(
						Array.from({ length: BLOCKS }, (_, at) => [at + 1, `${at + 1}`, `${at + 1}`]),
					);
				}
			},
			TEST_LIMIT_MS,
		);
	}

	test(
		"[ING-14] a block that one of two endpoints tells oddly is read from the other",
		async () => {
			for (let run = 0; run < RUNS; run++) {
				const { world, kinds } = await worldWith(TEST_SEED * 2_000 + run);
				const { source } = endpointsOf(world, kinds, 1, 2);
				const lane = world.worker({ scanFrom: 1, source, times });
				lane.look();
				await lane.untilIndexed(world.chain.head());
				await lane.stop();
				const sound = Array.from({ length: BLOCKS }, (_, at) => at + 1);
				expect(await world.tokens()).toEqual(sound);
				expect(await world.gaps()).toEqual([]);
			}
		},
		TEST_LIMIT_MS,
	);

	test("[ING-14] a settled block whose logs contradict themselves is read from sound receipts", async () => {
		for (const receipts of [true, false]) {
			const world = await createLaneWorld(database.db, { blooms: true });
			for (let id = 1; id <= 4; id++) world.chain.mine([{ value: 1n, logs: [mintLog(id)] }]);
			world.chain.mineTo(4 + 2 * REORG_DEPTH_LEAST);
			world.chain.troubles.tamper = ({ method }, answer) => {
				if (method === "eth_getBlockReceipts" && !receipts) return [];
				if (method !== "eth_getLogs" || !Array.isArray(answer)) return answer;
				const twice = (answer as Log[]).filter(({ blockNumber }) => Number(blockNumber) === 3);
				return [...answer, ...twice.map((log) => ({ ...log, data: "0x01" }))];
			};
			const lane = world.worker({ scanFrom: 1, times });
			lane.look();
			await lane.untilIndexed(world.chain.head());
			await lane.stop();
			// Receipts that do not explain the bloom prove nothing.
			expect(await world.tokens()).toEqual(receipts ? [1, 2, 3, 4] : [1, 2, 4]);
			expect(await world.gaps()).toEqual(receipts ? [] : ["3..3 contradicted"]);
		}
	});

	test("[ING-14] a node that lacks a part of what it answered is asked for less, and makes no gap", async () => {
		const world = await createLaneWorld(database.db);
		for (let id = 1; id <= BLOCKS; id++) world.chain.mine([{ logs: [mintLog(id)] }]);
		// Of every request for more than a few headers the last ones come from a node behind.
		const { batch } = world.chain.rpc;
		world.chain.rpc.batch = async (calls, options) => {
			const answers = await batch(calls, options);
			let headers = 0;
			return answers.map((answer, at) => {
				const isHeader = calls[at]?.method === "eth_getBlockByNumber";
				return isHeader && ++headers > 4 ? null : answer;
			});
		};
		const lane = world.worker({ scanFrom: 1, times });
		lane.look();
		await lane.untilIndexed(BLOCKS);
		await lane.stop();
		expect(await world.tokens()).toHaveLength(BLOCKS);
		expect(await world.gaps()).toEqual([]);
	});

	test("[ING-14] a lane that a false head placed beyond the chain goes on at the next true one", async () => {
		const world = await createLaneWorld(database.db);
		await world.setCursor(0);
		world.chain.mine([{ value: 0n, logs: [mintLog(1)] }]);
		const lane = world.worker({ times });
		let isPlaced = false;
		world.chain.troubles.before = () => {
			// The lane has its place by the false head, and asks the node about its cursor.
			if (!isPlaced) lane.look();
			isPlaced = true;
		};
		lane.offerHead({ ...world.chain.headOf(1), hash: STRANGE, number: 50_000_000 });
		await lane.untilIndexed(1);
		world.chain.mine([{ value: 0n, logs: [mintLog(2)] }]);
		lane.look();
		await lane.untilIndexed(2);
		await lane.stop();
		expect(await world.tokens()).toEqual([1, 2]);
		expect(await world.gaps()).toEqual([]);
	});

	test("[ING-08] silence and lag make no gap, however often the block is asked for", async () => {
		const world = await createLaneWorld(database.db);
		world.chain.mine([{ value: 0n, logs: [mintLog(1)] }]);
		const lane = world.worker({ scanFrom: 1, times });
		world.chain.troubles.down = true;
		lane.look();
		await lane.untilSaid("rpc_transport", 3 * RANGE_FAILURES_MAX);
		world.chain.troubles.down = false;
		world.chain.troubles.lagBlocks = 1;
		await lane.untilSaid("rpc_inconsistent", 3 * RANGE_FAILURES_MAX);
		world.chain.troubles.lagBlocks = 0;
		await lane.untilIndexed(1);
		await lane.stop();
		expect(await world.gaps()).toEqual([]);
		expect(await world.tokens()).toEqual([1]);
	});
});
