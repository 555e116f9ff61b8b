import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { type BlockRef, recordBlocks, storedBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createHeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createForkRepair", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const newWorld = () => createLaneWorld(database.db);
	type World = Awaited<ReturnType<typeof newWorld>>;

	const mintOne = (id: number) => [{ value: 0n, logs: [mintLog(id)] }];
	function mint(world: World, ...ids: number[]) {
		for (const id of ids) world.chain.mine(mintOne(id));
	}
	/** The canonical tokens of the chain, as blocks 1.. hold one each. */
	async function isLevel(world: World, ids: readonly number[]) {
		expect(await world.tokens()).toEqual([...ids].sort((a, b) => a - b));
		expect(await world.cursor()).toBe(world.chain.head());
		expect(await world.gaps()).toEqual([]);
	}

	/** A gate that tells when a lane has come through it for the nth time. */
	function gateThatCounts() {
		const gate = createHeadGate();
		let count = 0;
		const waiting: { times: number; go: () => void }[] = [];
		const enter = () => {
			count += 1;
			for (const { times, go } of waiting) if (count >= times) go();
			return gate.enter();
		};
		const entered = (times: number) => {
			return new Promise<void>((go) => (count >= times ? go() : waiting.push({ times, go })));
		};
		return { gate: { ...gate, enter }, entered };
	}

	test("[ING-11] after a fork the rows of dead blocks are removed, and the new blocks are read", async () => {
		for (const depth of [1, 3, 64]) {
			const world = await newWorld();
			const lane = world.worker({ scanFrom: 0 });
			const ids = Array.from({ length: 70 }, (_, index) => index + 1);
			mint(world, ...ids);
			lane.look();
			await lane.untilIndexed(70);
			world.chain.drop(depth);
			const fresh = Array.from({ length: depth + 1 }, (_, index) => 1_000 + index);
			mint(world, ...fresh);
			lane.look();
			await lane.untilIndexed(71);
			await lane.stop();
			await isLevel(world, [...ids.slice(0, 70 - depth), ...fresh]);
		}
	});

	test("[ING-11] a fork of the same or a smaller height is noticed by its head's hash", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		lane.look();
		await lane.untilIndexed(5);
		world.chain.drop(2);
		mint(world, 14, 15);
		lane.look();
		await lane.untilReverted(1);
		await world.untilLevel();
		await isLevel(world, [1, 2, 3, 14, 15]);
		world.chain.drop(3);
		mint(world, 23);
		lane.look();
		await lane.untilReverted(2);
		await world.untilLevel();
		await lane.stop();
		await isLevel(world, [1, 2, 23]);
	});

	test("a fork of three blocks is proved by one request, and the new blocks are read by the next", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		lane.look();
		await lane.untilIndexed(5);
		for (const isLonger of [false, true]) {
			const top = world.chain.head();
			world.chain.drop(3);
			const fresh = isLonger ? [1, 2, 3, 4] : [1, 2, 3];
			mint(world, ...fresh.map((id) => id + 10 * top));
			const requests: string[] = [];
			const { batch } = world.chain.rpc;
			world.chain.rpc.batch = (calls, options) => {
				requests.push([...new Set(calls.map(({ method }) => method))].sort().join(" "));
				return batch(calls, options);
			};
			lane.look();
			await world.untilLevel();
			world.chain.rpc.batch = batch;
			expect(requests).toEqual([
				"eth_getBlockByHash eth_getBlockByNumber",
				"eth_getBlockByNumber eth_getLogs",
				"eth_getTransactionByHash",
			]);
		}
		await lane.stop();
		expect(lane.reverts()).toBe(2);
	});

	test("a head that the node does not find by its hash proves no fork", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		lane.look();
		await lane.untilIndexed(5);
		const back = world.chain.drop(2);
		mint(world, 14, 15);
		const strays = [4, 5].map((number) => world.chain.headOf(number));
		const answers = new Map<number, unknown>();
		for (const { number } of strays) {
			const params = [`0x${number}`, false];
			answers.set(number, await world.chain.rpc.call({ method: "eth_getBlockByNumber", params }));
		}
		back();
		// By their numbers it tells of blocks that it does not have by their hashes.
		world.chain.troubles.tamper = ({ method, params }, answer) =>
			(method === "eth_getBlockByNumber" && answers.get(Number(params[0]))) || answer;
		for (const head of strays) lane.offerHead(head);
		await lane.untilSaid("rpc_inconsistent", 2);
		expect([lane.reverts(), await world.tokens()]).toEqual([0, [1, 2, 3, 4, 5]]);
		world.chain.troubles.tamper = (_, answer) => answer;
		await lane.stop();
	});

	test("[ING-11] a lane that checks after another lane's repair reads again without a new block", async () => {
		const world = await newWorld();
		// Only a word of its own wakes a lane: where a chain rests, no next block comes to its help.
		const rests = { scanFrom: 0, times: { idleWaitMs: 600_000 } };
		const [first, second] = [gateThatCounts(), gateThatCounts()];
		const mints = world.worker({ ...rests, gate: first.gate });
		const asSales = { ...world.source, kind: "sale" } as const;
		const sales = world.worker({ ...rests, gate: second.gate, source: asSales });
		mint(world, 1, 2, 3, 4, 5);
		for (const lane of [mints, sales]) lane.look();
		// The second time both have asked whether what they wrote stands, and rest.
		await Promise.all([first.entered(2), second.entered(2)]);
		world.chain.drop(3);
		mint(world, 13, 14, 15);
		mints.look();
		await world.untilLevel("mint");
		sales.look();
		await world.untilLevel("sale");
		await Promise.all([mints.stop(), sales.stop()]);
		expect(await world.tokens()).toEqual([1, 1, 2, 2, 13, 13, 14, 14, 15, 15]);
		expect([mints.reverts(), sales.reverts()]).toEqual([1, 0]);
	});

	test("[ING-11] a rollback to a block that then leaves the chain too is one more fork", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		lane.look();
		await lane.untilIndexed(5);
		// A hole, as a lane leaves that jumped: nothing below the newest two was ever stored.
		await database.db.execute(
			"delete from chain_scanner.block where chain_id = $1 and number in (2, 3)",
			[world.chainId],
		);
		world.chain.drop(2);
		mint(world, 14, 15);
		lane.look();
		await lane.untilReverted(1);
		await world.untilLevel();
		await database.db.execute(
			"delete from chain_scanner.block where chain_id = $1 and number in (4, 5)",
			[world.chainId],
		);
		await database.db.execute(
			`update chain_scanner.cursor set block_number = 3, block_hash = (
			select hash from chain_scanner.block where chain_id = $1 and number = 3
		) where chain_id = $1`,
			[world.chainId],
		);
		world.chain.drop(3);
		mint(world, 23, 24, 25, 26);
		lane.look();
		await lane.untilReverted(2);
		await lane.stop();
	});

	test("[ING-11] a chain that changes to another fork and back ends as it began", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3);
		lane.look();
		await lane.untilIndexed(3);
		const flipBack = world.chain.drop(2);
		mint(world, 12, 13);
		lane.look();
		await lane.untilReverted(1);
		await world.untilLevel();
		await isLevel(world, [1, 12, 13]);
		flipBack();
		lane.look();
		await lane.untilReverted(2);
		await world.untilLevel();
		await lane.stop();
		await isLevel(world, [1, 2, 3]);
	});

	test("[ING-11] a fork that happened while no process ran is found at the start, with and without a gap", async () => {
		for (const ahead of [3, 1_500]) {
			const world = await newWorld();
			const first = world.worker({ scanFrom: 0 });
			mint(world, 1, 2, 3);
			first.look();
			await first.untilIndexed(3);
			await first.stop();
			world.chain.drop(2);
			mint(world, 12, 13);
			world.chain.mineTo(3 + ahead);
			const second = world.worker();
			second.look();
			await second.untilIndexed(3 + ahead);
			const backfill = world.backfiller();
			while ((await world.gaps()).length > 0);
			await Promise.all([second.stop(), backfill.stop()]);
			await isLevel(world, [1, 12, 13]);
		}
	});

	test("[ING-11] a fork deeper than allowed stops the lane with an alarm, and nothing is written", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		const ids = Array.from({ length: 80 }, (_, index) => index + 1);
		mint(world, ...ids);
		lane.look();
		await lane.untilIndexed(80);
		const flipBack = world.chain.drop(65);
		for (let id = 0; id < 70; id++) mint(world, 1_000 + id);
		lane.look();
		await lane.untilSaid("reorg_too_deep", 3);
		expect(await world.tokens()).toEqual(ids);
		expect(await world.cursor()).toBe(80);
		const alarms = world.log.lines.filter(({ message }) => message.startsWith("ALARM"));
		expect(alarms.map(({ level }) => level)).toEqual(["error"]);
		// The old blocks come back: nobody has to help.
		flipBack();
		mint(world, 81);
		lane.look();
		await lane.untilIndexed(81);
		await lane.stop();
		await isLevel(world, [...ids, 81]);
	});

	test("[ING-11] a second fork that reaches below the stored blocks raises an alarm, however short it is", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		const ids = Array.from({ length: 80 }, (_, index) => index + 1);
		// In two steps, so that none of them had settled when it was read.
		for (const part of [ids.slice(0, 40), ids.slice(40)]) {
			mint(world, ...part);
			lane.look();
			await lane.untilIndexed(world.chain.head());
		}
		world.chain.drop(60);
		const fresh = ids.slice(0, 46).map((id) => 1_000 + id);
		mint(world, ...fresh);
		lane.look();
		await lane.untilReverted(1);
		await world.untilLevel();
		// From 56 below the head; 70 below the highest there was, and no hashes are kept from there.
		world.chain.drop(56);
		mint(world, ...ids.map((id) => 2_000 + id));
		lane.look();
		await lane.untilSaid("reorg_too_deep");
		await lane.stop();
		expect(await world.tokens()).toEqual([...ids.slice(0, 20), ...fresh]);
	});

	test("[ING-11] a lane that stayed on a dead fork is rolled back as deep as its own blocks require", async () => {
		for (const dead of [1, 12]) {
			const world = await newWorld();
			const ids = Array.from({ length: 20 }, (_, index) => index + 1);
			mint(world, ...ids);
			const behind = world.worker({ scanFrom: 0, source: { ...world.source, kind: "sale" } });
			behind.look();
			await behind.untilIndexed(20);
			await behind.stopLane();
			world.chain.drop(dead);
			const fresh = ids.slice(0, dead).map((id) => 100 + id);
			mint(world, ...fresh);
			world.chain.mineTo(900);
			// The other lane comes by, far below the head, and sees no header of those blocks.
			const ahead = world.worker({ scanFrom: 0 });
			ahead.look();
			await ahead.untilReverted(1);
			// It asks before it builds on: the less there is to take back.
			expect(ahead.said.slice(0, 2)).toEqual(["indexed 836", "reorg"]);
			const again = world.worker({ source: { ...world.source, kind: "sale" } });
			again.look();
			await Promise.all([world.untilLevel("mint"), world.untilLevel("sale")]);
			await Promise.all([ahead, again, behind].map((worker) => worker.stop()));
			const left = [...ids.slice(0, 20 - dead), ...fresh];
			expect(await world.tokens()).toEqual([...left, ...left].sort((a, b) => a - b));
			expect(again.said).not.toContain("reorg_too_deep");
		}
	});

	test("[ING-11] a lane that left a dead fork unnoticed, because its node was silent, repairs it later", async () => {
		const world = await newWorld();
		const first = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		first.look();
		await first.untilIndexed(5);
		await first.stop();
		const orphans = new Map<number, unknown>();
		for (const number of [3, 4, 5]) {
			const params = [`0x${number}`, false];
			orphans.set(number, await world.chain.rpc.call({ method: "eth_getBlockByNumber", params }));
		}
		world.chain.drop(3);
		mint(world, 13, 14, 15);
		world.chain.mineTo(1_500);
		// Where it asks is a node that is on the dead fork still; where it reads is none.
		world.chain.troubles.tamper = ({ method, params }, answer) =>
			(method === "eth_getBlockByNumber" && orphans.get(Number(params[0]))) || answer;
		const second = world.worker();
		second.look();
		await second.untilIndexed(1_500);
		expect(await world.tokens()).toEqual([1, 2, 3, 4, 5]);
		expect(second.reverts()).toBe(0);
		world.chain.troubles.tamper = (_, answer) => answer;
		// No fork's head says anything: the lane asks because nothing vouches for where it was.
		second.look();
		world.chain.mine();
		second.look();
		await second.untilReverted(1);
		await world.untilLevel();
		// As after a restart: the newest first, and the rest is owed.
		expect(await world.gaps()).toEqual(["3..1500 restart_behind"]);
		const backfill = world.backfiller();
		while ((await world.gaps()).length > 0);
		await Promise.all([second.stop(), backfill.stop()]);
		await isLevel(world, [1, 2, 13, 14, 15]);
		expect(second.said).not.toContain("reorg_too_deep");
	});

	test("[ING-11] blocks far below are not removed because a node's chain ends there", async () => {
		const world = await newWorld();
		mint(world, 1, 2, 3, 4, 5);
		const sale = { ...world.source, kind: "sale" } as const;
		const first = world.worker({ scanFrom: 0, source: sale });
		first.look();
		await first.untilIndexed(5);
		await first.stop();
		// Another branch, where the chain was not: what such a node says of two of the blocks.
		const strays = new Map<number, object>();
		const back = world.chain.drop(2);
		mint(world, 14, 15);
		for (const number of [4, 5]) {
			const params = [`0x${number}`, false];
			const stray = await world.chain.rpc.call({ method: "eth_getBlockByNumber", params });
			strays.set(number, Object(stray));
		}
		back();
		world.chain.mineTo(900);
		world.chain.troubles.tamper = ({ method, params }, answer) => {
			const [first] = params;
			if (method === "eth_getBlockByNumber") return strays.get(Number(first)) ?? answer;
			const known = [...strays.values()].find((stray) => "hash" in stray && stray.hash === first);
			return method === "eth_getBlockByHash" ? (known ?? answer) : answer;
		};
		const ahead = world.worker({ scanFrom: 0 });
		ahead.look();
		await ahead.untilSaid("rpc_inconsistent", 3);
		expect([ahead.reverts(), await world.cursor("sale")]).toEqual([0, 5]);
		world.chain.troubles.tamper = (_, answer) => answer;
		await world.untilLevel("mint");
		await ahead.stop();
		expect(ahead.reverts()).toBe(0);
	});

	test("[ING-11] old blocks that are still in the chain are checked once, and then settled", async () => {
		const world = await newWorld();
		const first = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4, 5);
		first.look();
		await first.untilIndexed(5);
		await first.stop();
		world.chain.mineTo(1_500);
		const second = world.worker();
		second.look();
		await second.untilIndexed(1_500);
		const stored = () =>
			database.db.query<{ number: number }>(
				"select number from chain_scanner.block where chain_id = $1 and number < 1000",
				[world.chainId],
			);
		while ((await stored()).length > 1) {
			world.chain.mine();
			second.look();
			await second.untilIndexed(world.chain.head());
		}
		let asked = 0;
		world.chain.troubles.before = ({ method }) => {
			if (method === "eth_getBlockByNumber") asked++;
		};
		for (let blocks = 0; blocks < 3; blocks++) {
			world.chain.mine();
			second.look();
			await second.untilIndexed(world.chain.head());
		}
		await second.stop();
		expect([asked, second.reverts()]).toEqual([0, 0]);
	});

	test("[ING-11] old blocks that a node far behind reports as new are not indexed", async () => {
		const world = await newWorld();
		mint(world, 1, 2, 3);
		const sale = { ...world.source, kind: "sale" } as const;
		const behind = world.worker({ scanFrom: 0, source: sale });
		behind.look();
		await behind.untilIndexed(3);
		mint(world, 4, 5, 6);
		world.chain.mineTo(6 + 2 * 64);
		const ahead = world.worker({ scanFrom: 0 });
		ahead.look();
		await ahead.untilIndexed(6 + 2 * 64);
		await ahead.stop();
		world.chain.troubles.lagBlocks = 2 * 64;
		behind.offerHead(world.chain.headOf(6));
		await behind.untilSaid("rpc_inconsistent", 2);
		expect(await world.cursor("sale")).toBe(3);
		// The same blocks, and nobody doubts them, from a node that knows what is above.
		world.chain.troubles.lagBlocks = 0;
		behind.look();
		await world.untilLevel("sale");
		await behind.stop();
		expect(await world.tokens()).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
	});

	test("[ING-11] a fork during the repair of another fork ends with the rows of the last one", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3, 4);
		lane.look();
		await lane.untilIndexed(4);
		world.chain.drop(1);
		mint(world, 14, 15);
		const round = [5, 6, 7];
		world.chain.troubles.before = ({ method }) => {
			// The chain changes under the search, at each of its first questions.
			const id = method === "eth_getBlockByNumber" ? round.shift() : undefined;
			if (id === undefined) return;
			world.chain.drop(2);
			mint(world, 100 + id, 200 + id);
		};
		lane.look();
		await lane.untilReverted(1);
		lane.look();
		await world.untilLevel();
		await lane.stop();
		expect(round).toEqual([]);
		await isLevel(world, [1, 2, 3, 107, 207]);
	});

	test("[ING-14] a single wrong header removes nothing: a fork must be linked by hashes to be believed", async () => {
		const world = await newWorld();
		const lane = world.worker({ scanFrom: 0 });
		mint(world, 1, 2, 3);
		lane.look();
		await lane.untilIndexed(3);
		const lie = `0x${"e".repeat(64)}` as const;
		world.chain.troubles.tamper = ({ method, params }, answer) =>
			method === "eth_getBlockByNumber" && Number(params[0]) === 3 && answer
				? { ...answer, hash: lie }
				: answer;
		lane.offerHead({ ...world.chain.headOf(3), hash: lie });
		await lane.untilSaid("rpc_inconsistent");
		expect(lane.reverts()).toBe(0);
		world.chain.troubles.tamper = (_, answer) => answer;
		mint(world, 4);
		lane.look();
		await lane.untilIndexed(4);
		await lane.stop();
		await isLevel(world, [1, 2, 3, 4]);
	});
});

describe("takeBack", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const hashOf = (number: number, fork: number): Hex => `0x${`${fork}${number}`.padStart(64, "0")}`;
	const block = (number: number, fork: number): BlockRef => {
		const parentHash = hashOf(number - 1, fork);
		return { number, hash: hashOf(number, fork), parentHash, settled: false };
	};

	test("[ING-11] a block that does not link to the stored one below it is no point to roll back to", async () => {
		const { db } = database;
		const reverted: number[] = [];
		const sink = {
			name: "count",
			apply: async () => {},
			revert: async (_: unknown, { forkBlock }: { forkBlock: number }) =>
				void reverted.push(forkBlock),
		};
		const back = (above: BlockRef) =>
			db.transaction((tx) => takeBack(tx, { chainId: 7, above, sinks: [sink] }));
		const blocks = [block(4, 1), block(7, 1)];
		await db.transaction((tx) => recordBlocks(tx, { chainId: 7, blocks, pruneBelow: 0 }));
		await expect(back(block(5, 2))).rejects.toThrow("lane_forked");
		expect(await storedBlocks(db, 7, 9)).toEqual(blocks.toReversed());
		await back(block(5, 1));
		expect(await storedBlocks(db, 7, 9)).toEqual([block(5, 1), block(4, 1)]);
		expect(reverted).toEqual([5]);
	});
});
