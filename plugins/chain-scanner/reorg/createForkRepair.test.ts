import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
}, 60_000);
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

test("[ING-11] a fork takes its rows out, and the blocks in their place come in", async () => {
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

test("[ING-11] a fork no longer than ours is seen by its head's hash, and a shorter one too", async () => {
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

test("[ING-11] a block that was only fallen back on, and leaves the chain too, is one more fork", async () => {
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

test("[ING-11] a chain that flips to another fork and back ends as it began", async () => {
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

test("[ING-11] a fork that happened while nobody looked is found at the start, gap or no gap", async () => {
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

test("[ING-11] a fork deeper than may be stops the lane with an alarm, and nothing is written", async () => {
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

test("[ING-11] a fork in the midst of another one's repair leaves what the last of them says", async () => {
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

test("[ING-14] one wrong header takes nothing out: a fork must be linked to be believed", async () => {
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
