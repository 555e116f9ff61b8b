import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import {
	createLaneWorld,
	type LaneWorld,
	mintLog,
} from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createHeadGate, type HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("drainGap", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const RANGE_MAX = 7;
	const textOf = ({ from, to }: BlockRange) => `${from}..${to}`;

	/** A chain with one mint a block, of which these lanes owe everything up to block 21. */
	async function owingWorld(...lanes: readonly string[]): Promise<LaneWorld> {
		const world = await createLaneWorld(database.db);
		for (let id = 1; id <= 30; id++) world.chain.mine([{ logs: [mintLog(id)] }]);
		for (const lane of lanes) await owe(world, lane, { from: 1, to: 21 });
		return world;
	}

	async function owe(
		{ chainId }: LaneWorld,
		lane: string,
		{ from, to }: BlockRange,
	): Promise<void> {
		await database.db.execute(
			`insert into chain_scanner.gap (chain_id, lane, from_block, to_block, reason)
		values ($1, $2, $3, $4, 'requested')`,
			[chainId, lane, from, to],
		);
	}

	/** A source that takes seven blocks at most, and what it was asked for, in order. */
	function narrow(source: LaneSource, said: string[] = []) {
		const signals = new Map<string, AbortSignal>();
		const read: LaneSource["read"] = async (range, options) => {
			if (range.to - range.from >= RANGE_MAX) {
				throw rpcFault.range({ meta: { rangeBlocksMax: RANGE_MAX } });
			}
			said.push(`ask ${textOf(range)}`);
			if (!signals.has(textOf(range))) signals.set(textOf(range), options.signal);
			return source.read(range, options);
		};
		return { said, signals, source: { kind: source.kind, read } satisfies LaneSource };
	}

	const untilDrained = async (world: LaneWorld) => {
		while ((await world.gaps()).length > 0);
	};

	const tokensTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

	/** A head that is being taken in all the time. */
	function busyGate(): HeadGate {
		return { ...createHeadGate(), calmForMs: () => 0 };
	}

	test("the next range is requested while one is written, and each range is requested once", async () => {
		const world = await owingWorld("mint");
		const { said, source } = narrow(world.source);
		const isAskedAhead = Promise.withResolvers<void>();
		const watched: LaneSource = {
			...source,
			read: async (range, options) => {
				if (range.to === 14) isAskedAhead.resolve();
				return source.read(range, options);
			},
		};
		// The first write waits for it: without reading ahead this test would not end.
		world.sinkTroubles.before = () => isAskedAhead.promise;
		const backfill = world.backfiller({ sources: [watched] });
		await untilDrained(world);
		await backfill.stop();
		expect(said).toEqual(["ask 15..21", "ask 8..14", "ask 1..7"]);
		expect(await world.tokens()).toEqual(tokensTo(21));
	});

	test("a range that was requested ahead is cancelled if another gap comes first", async () => {
		const world = await owingWorld("mint");
		const { said, signals, source } = narrow(world.source);
		const brokenOff: unknown[] = [];
		world.sinkTroubles.before = async ({ toBlock }) => {
			if (toBlock === 21) await owe(world, "mint", { from: 22, to: 28 });
			else if (toBlock === 28) brokenOff.push(signals.get("8..14")?.aborted);
		};
		const backfill = world.backfiller({ sources: [source] });
		await untilDrained(world);
		await backfill.stop();
		expect(said).toEqual(["ask 15..21", "ask 8..14", "ask 22..28", "ask 8..14", "ask 1..7"]);
		expect(brokenOff).toEqual([true]);
		expect(await world.tokens()).toEqual(tokensTo(28));
	});

	test("a range that was read ahead is dropped if the write before it fails", async () => {
		const world = await owingWorld("mint");
		const { said, source } = narrow(world.source);
		let writes = 0;
		world.sinkTroubles.before = async () => {
			if (++writes === 1) throw new Error("connection lost");
		};
		const backfill = world.backfiller({ sources: [source] });
		await untilDrained(world);
		await backfill.stop();
		expect(said.slice(0, 4)).toEqual(["ask 15..21", "ask 8..14", "ask 15..21", "ask 8..14"]);
		expect(await world.tokens()).toEqual(tokensTo(21));
	});

	test("while lanes read new blocks no range is requested ahead", async () => {
		const world = await owingWorld("mint");
		const { said, source } = narrow(world.source);
		world.sinkTroubles.before = async ({ fromBlock, toBlock }) => {
			said.push(`write ${fromBlock}..${toBlock}`);
		};
		const backfill = world.backfiller({ sources: [source], gate: busyGate() });
		await untilDrained(world);
		await backfill.stop();
		expect(said).toEqual([
			...["ask 15..21", "write 15..21", "ask 8..14", "write 8..14", "ask 1..7", "write 1..7"],
		]);
	});

	/** Two lanes of one chain; what they read is the same, and they are told apart by their kind. */
	function twoLanes(source: LaneSource, onRead: () => Promise<void>): readonly LaneSource[] {
		return (["mint", "sale"] as const).map((kind) => ({
			kind,
			async read(range, options) {
				await onRead();
				return source.read(range, options);
			},
		}));
	}

	test("lanes are backfilled at the same time while no new block is expected", async () => {
		const world = await owingWorld("mint", "sale");
		const both = Promise.withResolvers<void>();
		let reading = 0;
		const sources = twoLanes(world.source, async () => {
			if (++reading === 2) both.resolve();
			await both.promise;
		});
		const backfill = world.backfiller({ sources });
		await untilDrained(world);
		await backfill.stop();
		expect(reading).toBe(2);
	});

	test("while lanes read new blocks one lane is backfilled after the other", async () => {
		const world = await owingWorld("mint", "sale");
		let inside = 0;
		let most = 0;
		const sources = twoLanes(world.source, async () => {
			most = Math.max(most, ++inside);
		});
		world.sinkTroubles.before = async () => void inside--;
		const backfill = world.backfiller({ sources, gate: busyGate() });
		await untilDrained(world);
		await backfill.stop();
		expect(most).toBe(1);
	});
});
