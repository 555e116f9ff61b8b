import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { padHex, toHex } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { systemClock } from "#core/clock.ts";
import { createLeaseKeeper, type LeaseKeeper } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { REORG_DEPTH_LEAST, UNWATCHED_STRIDE_BLOCKS } from "#plugins/chain-scanner/limits.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/decodeMints.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { createOwnershipStub } from "#plugins/chain-scanner/testing/ownershipStub.ts";
import { startTransfers } from "#plugins/chain-scanner/transfer/startTransfers.ts";
import { createFakeChain, type FakeLog } from "#test/harness/fakeChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("startTransfers", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	const keepers: LeaseKeeper[] = [];
	afterAll(async () => {
		for (const keeper of keepers) await keeper.stop();
		await database.drop();
	});

	const NFT: Address = padHex("0x721", { size: 20 });
	const ALICE = padHex("0xa1", { size: 32 });
	const BOB = padHex("0xb0b", { size: 32 });
	const QUICK = { leaseRetryMs: 2, retryMinMs: 1, retryMaxMs: 4, idleWaitMs: 20, refusedRestMs: 5 };

	let nextChainId = 19_000;

	function moveLog(tokenId: number, address: Hex = NFT): FakeLog {
		return { address, topics: [TRANSFER_TOPIC, ALICE, BOB, padHex(toHex(tokenId), { size: 32 })] };
	}

	/** A chain whose other lanes are level with its head, unless a test says otherwise. */
	async function createWorld() {
		const chainId = nextChainId++;
		const { db } = database;
		const chain = createFakeChain();
		const stub = createOwnershipStub();
		const leases = createLeaseKeeper({
			db,
			holder: crypto.randomUUID(),
			clock: systemClock,
			log: silentLog,
		});
		const noEvents = async () => {};
		const sinks: EventSink[] = [
			{ name: "owners", apply: noEvents, revert: noEvents, ownership: stub.ownership },
		];
		const failures: string[] = [];
		const others = async (behind: number) => {
			for (const lane of ["mint", "sale"]) {
				await db.execute(
					`insert into chain_scanner.cursor values ($1, $2, $3, $4, $5, now())
				on conflict (chain_id, lane) do update
				set block_number = $3, block_hash = $4, head_block = $5`,
					[
						chainId,
						lane,
						chain.head() - behind,
						Buffer.from(chain.hashOf(chain.head() - behind).slice(2), "hex"),
						chain.head(),
					],
				);
			}
		};
		const start = () => {
			const stopping = new AbortController();
			const { signal } = stopping;
			const { rpc } = chain;
			const remembered = createHeaderMemory();
			const shared = { chainId, db, rpc, sinks, remembered, log: silentLog };
			const transfers = startTransfers({
				...shared,
				access: { rpcFor: () => rpc },
				clock: systemClock,
				leases,
				fork: createForkRepair({ ...shared, depthMax: REORG_DEPTH_LEAST, onReorg() {} }),
				reorgDepthMax: REORG_DEPTH_LEAST,
				ownership: stub.ownership,
				report: { undecoded() {}, noise() {}, unlisted() {} },
				signal,
				times: { ...QUICK, walkIdleMs: 2, walkChooseMs: 2 },
				onIndexed() {},
				onFailure: (code) => failures.push(code),
				onWalkFailure: (code) => failures.push(code),
			});
			const look = () => transfers.offerHead(chain.headOf(chain.head()));
			look();
			return {
				look,
				async stop() {
					stopping.abort();
					await transfers.done;
				},
			};
		};
		const cursor = async () => {
			const rows = await db.query<{ at: number }>(
				"select block_number as at from chain_scanner.cursor where chain_id = $1 and lane = 'transfer'",
				[chainId],
			);
			return rows[0]?.at ?? null;
		};
		const gaps = async () => {
			const rows = await db.query("select from chain_scanner.gap where chain_id = $1", [chainId]);
			return rows.length;
		};
		keepers.push(leases);
		return { ...stub, chain, others, start, cursor, gaps, failures };
	}

	const idsOf = (moves: readonly { tokenId: bigint; by: string }[]) =>
		moves.map(({ tokenId, by }) => `${by} ${tokenId}`).sort();

	test("[IDX-11] old transfers are read by the walk and new ones by the lane, each once", async () => {
		const world = await createWorld();
		world.chain.mine([{ logs: [moveLog(1), moveLog(9, padHex("0x99", { size: 20 }))] }]);
		world.chain.mineTo(200);
		world.chain.mine([{ logs: [moveLog(2)] }]);
		await world.others(0);
		world.want(NFT);
		const running = world.start();
		await until(() => world.isDone(NFT), "the walk is done");
		world.chain.mine([{ logs: [moveLog(3)] }]);
		running.look();
		await until(() => world.moves.length === 3, "the lane saw the move");
		await running.stop();
		expect(idsOf(world.moves)).toEqual(["lane 3", "walk 1", "walk 2"]);
	});

	test("[IDX-11] walks wait while mints and sales catch up", async () => {
		const world = await createWorld();
		world.chain.mineTo(200);
		await world.others(100);
		world.want(NFT);
		const running = world.start();
		await until(async () => (await world.cursor()) === 200, "the lane began");
		// The lane's own reading of the head is all there was.
		expect(world.walks.size).toBe(0);
		await world.others(0);
		await until(() => world.isDone(NFT), "the walk is done");
		await running.stop();
	});

	test("while no contract is watched the lane requests no logs, and moves its cursor seldom", async () => {
		const world = await createWorld();
		world.chain.mineTo(10);
		await world.others(0);
		const running = world.start();
		await until(async () => (await world.cursor()) === 10, "the lane began");
		for (let block = 0; block < UNWATCHED_STRIDE_BLOCKS - 1; block++) {
			world.chain.mine();
			running.look();
		}
		expect(await world.cursor()).toBe(10);
		world.chain.mine();
		running.look();
		const level = 10 + UNWATCHED_STRIDE_BLOCKS;
		await until(async () => (await world.cursor()) === level, "the lane moved up");
		await running.stop();
		expect(world.chain.asked()).toEqual([]);
	});

	test("[IDX-11] transfers of a contract chosen while the lane paused are not lost", async () => {
		const world = await createWorld();
		world.chain.mineTo(10);
		await world.others(0);
		const running = world.start();
		await until(async () => (await world.cursor()) === 10, "the lane began");
		world.chain.mine([{ logs: [moveLog(1)] }]);
		running.look();
		world.want(NFT);
		await until(() => world.moves.length === 1, "the move came in");
		await running.stop();
		expect(idsOf(world.moves)).toEqual(["lane 1"]);
	});

	test("[IDX-11] a refused range is requested in parts, and the walk pauses at a refused block", async () => {
		const world = await createWorld();
		for (const id of [1, 2, 3]) world.chain.mine([{ logs: [moveLog(id)] }]);
		world.chain.mineTo(300);
		await world.others(0);
		world.chain.troubles.rangeMax = 50;
		world.chain.troubles.refused.blocks.add(3);
		world.want(NFT);
		const running = world.start();
		await until(() => world.walks.get(NFT)?.resting === true, "the walk rests");
		expect(world.walks.get(NFT)?.nextBlock).toBe(3);
		world.chain.troubles.refused.blocks.clear();
		const walk = world.walks.get(NFT);
		if (walk) walk.resting = false;
		await until(() => world.isDone(NFT), "the walk is done");
		await running.stop();
		expect(idsOf(world.moves)).toEqual(["walk 1", "walk 2", "walk 3"]);
		expect(world.failures).toContain("rpc_range");
	});

	test("[IDX-11] a lane that was down for long continues in order, without a gap to backfill", async () => {
		const world = await createWorld();
		world.chain.mineTo(10);
		await world.others(0);
		const walk = { id: 0, contract: NFT, nextBlock: 11, endBlock: 10, resting: false };
		world.walks.set(NFT, walk);
		const first = world.start();
		await until(async () => (await world.cursor()) === 10, "the lane began");
		await first.stop();
		world.chain.mine([{ logs: [moveLog(1)] }]);
		world.chain.mineTo(1_500);
		await world.others(0);
		const second = world.start();
		await until(async () => (await world.cursor()) === 1_500, "the lane is level");
		await second.stop();
		expect(idsOf(world.moves)).toEqual(["lane 1"]);
		expect(await world.gaps()).toBe(0);
	});

	test("walks that read the same blocks request their headers once", async () => {
		const world = await createWorld();
		const contracts = Array.from({ length: 8 }, (_, index): Address => {
			return padHex(toHex(0x7000 + index), { size: 20 });
		});
		world.chain.mine(contracts.map((contract, id) => ({ logs: [moveLog(id, contract)] })));
		world.chain.mineTo(400);
		await world.others(0);
		for (const contract of contracts) world.want(contract);
		const running = world.start();
		await until(() => contracts.every(world.isDone), "the walks are done");
		await running.stop();
		expect(idsOf(world.moves)).toEqual(contracts.map((_, id) => `walk ${id}`));
		const headers = world.chain.calls.filter(({ method }) => method === "eth_getBlockByNumber");
		// The newest blocks once; then the ends of each walk's ranges, and what the lane itself asked.
		expect(headers.length).toBeLessThan(REORG_DEPTH_LEAST + contracts.length * 6 + 20);
	});

	test("[IDX-11] a fork between two walks is noticed, and the dead blocks are read again", async () => {
		const world = await createWorld();
		const other: Address = padHex("0x722", { size: 20 });
		world.chain.mine([{ logs: [moveLog(1), moveLog(2, other)] }]);
		world.chain.mineTo(100);
		world.chain.mine([{ logs: [moveLog(3), moveLog(4, other)] }]);
		world.chain.mineTo(110);
		await world.others(0);
		world.want(NFT);
		const running = world.start();
		await until(() => world.isDone(NFT), "the first walk is done");
		world.chain.drop(15);
		world.chain.mine([{ logs: [moveLog(5, other)] }]);
		world.chain.mineTo(112);
		await world.others(0);
		world.want(other);
		running.look();
		await until(() => world.isDone(other), "the second walk is done");
		await until(async () => (await world.cursor()) === 112, "the lane is level");
		await running.stop();
		const own = world.moves.filter(({ contract }) => contract === other);
		// The keeper of this test forgets nothing that a fork takes: only what the walk read counts.
		// One that begins when the lane stands at the fork leaves what is above to the lane.
		const ids = idsOf(own).map((name) => name.replace(/^\w+ /, ""));
		expect(ids.sort()).toEqual(["2", "5"]);
	});
});
