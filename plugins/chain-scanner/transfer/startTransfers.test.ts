import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeAbiParameters, encodeEventTopics, padHex, parseAbi, toHex } from "viem";
import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { systemClock } from "#core/clock.ts";
import { createLeaseKeeper, type LeaseKeeper } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import {
	ADDRESSES_PER_QUERY_MAX,
	REORG_DEPTH_LEAST,
	UNWATCHED_STRIDE_BLOCKS,
} from "#plugins/chain-scanner/limits.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/mintSource.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createOwnershipStub } from "#plugins/chain-scanner/testing/ownershipStub.ts";
import {
	decodeMoves,
	startTransfers,
	transferSource,
} from "#plugins/chain-scanner/transfer/startTransfers.ts";
import { createFakeChain, type FakeChain, type FakeLog } from "#test/harness/fakeChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("decodeMoves", () => {
	const abi = parseAbi([
		"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
		"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
		"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
		"event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)",
	]);
	const NFT: Address = "0x0000000000000000000000000000000000000721";
	const FROM: Address = "0x00000000000000000000000000000000000000a1";
	const TO: Address = "0x00000000000000000000000000000000000000b0";

	function logOf(topics: readonly unknown[], data: Hex = "0x"): RawLog {
		return {
			address: NFT,
			topics: topics as Hex[],
			data,
			blockNumber: "0x10",
			blockHash: `0x${"1".repeat(64)}`,
			transactionHash: `0x${"2".repeat(64)}`,
			transactionIndex: "0x0",
			logIndex: "0x3",
		};
	}

	const parties = { operator: FROM, from: FROM, to: TO };
	const uint = { type: "uint256" } as const;
	const uints = { type: "uint256[]" } as const;
	const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

	function single(id: bigint, value: bigint): RawLog {
		const topics = encodeEventTopics({ abi, eventName: "TransferSingle", args: parties });
		return logOf(topics, encodeAbiParameters([uint, uint], [id, value]));
	}

	function batch(ids: bigint[], values: bigint[]): RawLog {
		const topics = encodeEventTopics({ abi, eventName: "TransferBatch", args: parties });
		return logOf(topics, encodeAbiParameters([uints, uints], [ids, values]));
	}

	function consecutive(first: bigint, data: Hex): RawLog {
		const args = { fromTokenId: first, fromAddress: ZERO_ADDRESS, toAddress: TO };
		return logOf(encodeEventTopics({ abi, eventName: "ConsecutiveTransfer", args }), data);
	}

	test("[IDX-11] each kind of transfer reads as its standard encodes it", () => {
		fc.assert(
			fc.property(word, fc.array(fc.tuple(word, word), { maxLength: 8 }), (id, pairs) => {
				const topics = encodeEventTopics({
					abi,
					eventName: "Transfer",
					args: { from: FROM, to: TO, tokenId: id },
				});
				const units = pairs.map(([tokenId, quantity]) => ({ tokenId, quantity }));
				const ids = units.map(({ tokenId }) => tokenId);
				const values = units.map(({ quantity }) => quantity);
				const all = [logOf(topics), ...units.map((one) => single(one.tokenId, one.quantity))];
				const { moves, undecoded } = decodeMoves([...all, batch(ids, values)]);
				expect(undecoded).toEqual([]);
				const [own, ...rest] = moves;
				expect(own).toMatchObject({
					standard: "erc721",
					from: FROM,
					to: TO,
					tokenId: id,
					quantity: 1n,
				});
				const expected = units.filter(({ quantity }) => quantity > 0n);
				const read = rest.map(({ tokenId, quantity }) => ({ tokenId, quantity }));
				expect(read).toEqual([...expected, ...expected]);
			}),
		);
	});

	test("[IDX-11] a range of ids is one move", () => {
		const last = 2n ** 255n;
		const { moves } = decodeMoves([consecutive(7n, encodeAbiParameters([uint], [last]))]);
		expect(moves).toEqual([
			expect.objectContaining({ from: ZERO_ADDRESS, to: TO, tokenId: 7n, lastTokenId: last }),
		]);
	});

	test("what ERC-20s and other contracts emit is no move, and is not complained about", () => {
		const topics = encodeEventTopics({
			abi,
			eventName: "Transfer",
			args: { from: FROM, to: TO, tokenId: 1n },
		});
		const erc20 = logOf(topics.slice(0, 3), encodeAbiParameters([uint], [1n]));
		const other = logOf([`0x${"3".repeat(64)}`]);
		expect(decodeMoves([erc20, other])).toEqual({ moves: [], undecoded: [] });
	});

	test("logs that lie about themselves are told one by one, and the rest is kept", () => {
		const cut = { ...single(1n, 1n), data: "0x12" as const };
		const uneven = batch([1n, 2n], [1n]);
		const long = { ...batch([1n], [1n]), data: batch([1n], [1n]).data.slice(0, -2) as Hex };
		const backward = consecutive(7n, encodeAbiParameters([uint], [6n]));
		const empty = consecutive(7n, "0x");
		const { moves, undecoded } = decodeMoves([cut, uneven, single(5n, 1n), long, backward, empty]);
		expect(moves.map(({ tokenId }) => tokenId)).toEqual([5n]);
		expect(undecoded.map(({ problem }) => problem)).toEqual([
			"TransferSingle is cut short",
			"TransferBatch has 2 ids and 1 amounts",
			"TransferBatch has a list outside its data",
			"ConsecutiveTransfer ends before it begins",
			"ConsecutiveTransfer is cut short",
		]);
	});
});

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
				report: { undecoded() {}, noise() {} },
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

	test("[IDX-11] what was there before comes by the walk, what happens now by the lane, each once", async () => {
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

	test("while nothing is watched the lane asks for no logs, and seldom for anything", async () => {
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

	test("[IDX-11] a contract chosen while the lane stood still loses nothing in between", async () => {
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

	test("[IDX-11] a range that is refused is asked for in parts; a block that is refused rests", async () => {
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

	test("[IDX-11] a lane that was away for long goes on in order, and leaves no span to backfill", async () => {
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

	test("walks that look at the same blocks ask for their headers once", async () => {
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

	test("[IDX-11] a fork between two walks is seen, and what it took is read anew", async () => {
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

describe("transferSource", () => {
	const NFT: Address = padHex("0x721", { size: 20 });
	const quiet = { undecoded() {}, noise() {} };
	const unsettled = { signal: new AbortController().signal, unsettledFrom: 0 };

	const sourceOf = (chain: FakeChain, watched: readonly Address[]) =>
		transferSource(chain.rpc, quiet, async () => watched);
	const methods = (chain: FakeChain) => chain.calls.map(({ method }) => method);

	test("[IDX-11] whom the lane looked at is said with what it saw, and others are left out", async () => {
		const chain = createFakeChain();
		chain.mine([{ logs: [mintLog(1), mintLog(2, padHex("0x99", { size: 20 }))] }]);
		const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
		expect(read.moved?.watched).toEqual([NFT]);
		expect(read.moved?.moves).toMatchObject([{ contract: NFT, tokenId: 1n, blockNumber: 1 }]);
	});

	test("a query names no more contracts than nodes take", async () => {
		const chain = createFakeChain();
		chain.mine();
		const watched = Array.from({ length: 2 * ADDRESSES_PER_QUERY_MAX + 1 }, (_, index) => {
			return padHex(toHex(index + 1), { size: 20 });
		});
		await sourceOf(chain, watched).read({ from: 1, to: 1 }, unsettled);
		expect(methods(chain).filter((method) => method === "eth_getLogs")).toHaveLength(3);
	});

	test("nobody asks when a move was made: no header is read for it", async () => {
		const chain = createFakeChain({ timestamps: false });
		for (let block = 0; block < 9; block++) chain.mine([{ logs: [mintLog(block)] }]);
		const settled = { ...unsettled, unsettledFrom: 100 };
		const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 9 }, settled);
		expect(read.moved?.moves).toHaveLength(9);
		// The two ends of the range.
		expect(methods(chain).filter((method) => method === "eth_getBlockByNumber")).toHaveLength(2);
	});

	test("[ING-14] moves that the bloom says are there and the node leaves out are missed", async () => {
		const chain = createFakeChain({ blooms: true });
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.troubles.tamper = ({ method }, answer) => (method === "eth_getLogs" ? [] : answer);
		const reading = sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
		await expect(reading).rejects.toMatchObject({ code: "rpc_inconsistent" });
	});
});
