import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "#core/clock.ts";
import type { Fault } from "#core/fault.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import { backfillLease } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { scannerMetrics } from "#plugins/chain-scanner/laneHealth.ts";
import {
	type BackfillProgress,
	createOperator,
	openRequests,
} from "#plugins/chain-scanner/operator/createOperator.ts";
import {
	progressLine,
	runBackfill,
	untilHead,
} from "#plugins/chain-scanner/operator/runBackfill.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("progressLine", () => {
	const half: BackfillProgress = {
		chain: "anvil",
		range: { from: 1, to: 10_000 },
		state: "draining",
		trouble: null,
		blocksAll: 20_000,
		blocksLeft: 10_000,
		blocksRefused: 0,
		events: 1_234,
		blocksPerSecond: 500.4,
		secondsLeft: 19.98,
	};

	test("the line shows the share done, the number of events, the speed and the remaining time", () => {
		expect(progressLine(half)).toBe(
			"████████████░░░░░░░░░░░░ 50 %  10 000 of 20 000 blocks left  1 234 events  500 blocks/s  20 s left",
		);
		expect(progressLine({ ...half, secondsLeft: 3_700 })).toContain("1 h 1 min left");
		expect(progressLine({ ...half, secondsLeft: 61 })).toContain("2 min left");
	});

	test("unfinished work never looks finished", () => {
		const nearly = progressLine({ ...half, blocksLeft: 1 });
		expect(nearly).toContain("░ 99 %");
		expect(progressLine({ ...half, blocksLeft: 0 })).toContain("█ 100 %");
	});

	test("a process that waits or watches another one says so, and shows no speed", () => {
		const still = { ...half, blocksPerSecond: null, secondsLeft: null };
		expect(progressLine({ ...still, state: "waiting", trouble: "rpc_transport" })).toEndWith(
			"1 234 events  waiting (rpc_transport)",
		);
		const watching = progressLine({ ...still, state: "watching" });
		expect(watching).toEndWith("10 000 of 20 000 blocks left  read by another process");
	});
});

describe("runBackfill", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const DEPTH = 64;
	let nextChainId = 7_000;

	/** A chain of 300 blocks with a mint in each of the first hundred, and no lane that ever ran. */
	function newWorld() {
		const { db } = database;
		const fake = createFakeChain({ blooms: true });
		for (let id = 1; id <= 100; id++) fake.mine([{ logs: [mintLog(id)] }]);
		fake.mineTo(300);
		const chainId = nextChainId++;
		const chain = { id: chainId, slug: "fake" } as ChainAccess["chain"];
		const access = { chain, rpcFor: () => fake.rpc, headUrls: [] };
		const tokens = new Map<number, number>();
		const sink: EventSink = {
			name: "test",
			async apply(tx, { events }) {
				tx.afterCommit(() => {
					for (const { tokenId } of events) {
						tokens.set(Number(tokenId), (tokens.get(Number(tokenId)) ?? 0) + 1);
					}
				});
			},
			async revert(tx, { forkBlock }) {
				tx.afterCommit(() => {
					for (const id of tokens.keys()) if (id > forkBlock) tokens.delete(id);
				});
			},
		};
		const newCore = () => {
			const leases = createLeaseKeeper({
				db,
				holder: crypto.randomUUID(),
				clock: systemClock,
				log: silentLog,
			});
			return { db, leases, clock: systemClock, log: silentLog, metrics: createMetrics() };
		};
		const core = newCore();
		const scanner = createOperator(core, {
			sinks: [sink],
			venues: [],
			metrics: scannerMetrics(core.metrics),
			reorgDepthMax: DEPTH,
			lagBlocksMax: 1_000,
		});
		const request = (from: number, to: number, lanes: readonly LaneKind[] = ["mint"], head = 300) =>
			openRequests(core, { chainId, lanes, range: { from, to }, head, reorgDepthMax: DEPTH });
		const run = async (
			from: number,
			to: number,
			options: { lanes?: readonly LaneKind[]; signal?: AbortSignal; onShow?: () => void } = {},
		) => {
			const shown: BackfillProgress[] = [];
			const end = await runBackfill({
				core,
				scanner,
				access,
				ask: { range: { from, to }, lanes: options.lanes ?? ["mint"] },
				head: 300,
				signal: options.signal ?? new AbortController().signal,
				everyMs: 2,
				show(progress) {
					shown.push(progress);
					options.onShow?.();
				},
			});
			return { end, shown };
		};
		const setCursor = (block: number) =>
			db.execute("insert into chain_scanner.cursor values ($1, 'mint', $2, $3, $2, now())", [
				chainId,
				block,
				Buffer.from(fake.hashOf(block).slice(2), "hex"),
			]);
		return { access, chainId, core, fake, newCore, request, run, scanner, setCursor, tokens };
	}
	const refusal = (refused: Promise<unknown>) =>
		refused.then(
			() => "nothing was refused",
			(error: Fault) => error.publicDetail,
		);

	test("[ING-10] a range that no lane ever read is read completely, each block once", async () => {
		const { core, fake, request, run, tokens } = newWorld();
		expect(await request(1, 200, ["mint", "sale"])).toEqual([]);
		const { end } = await run(1, 200, { lanes: ["mint", "sale"] });
		expect(end).toMatchObject({ state: "done", blocksAll: 400, blocksLeft: 0, events: 100 });
		expect([...tokens.values()].every((times) => times === 1)).toBe(true);
		expect(tokens.size).toBe(100);
		// All of it was settled: no header of a block within has to be kept.
		expect(fake.asked()).toContain("1..200");
		const stored = await core.db.query(
			"select from chain_scanner.block where chain_id = $1",
			[7_000],
		);
		expect(stored).toEqual([]);
		await core.leases.stop();
	});

	test("[ING-10] a stopped backfill continues with the rest, and reads no block twice", async () => {
		const { core, fake, request, run, tokens } = newWorld();
		fake.troubles.rangeMax = 10;
		await request(1, 100);
		const stopping = new AbortController();
		fake.troubles.before = ({ method }) => {
			if (method === "eth_getLogs" && tokens.size >= 30) stopping.abort();
		};
		const first = await run(1, 100, { signal: stopping.signal });
		expect(first.end.state).toBe("interrupted");
		expect(first.end.blocksLeft).toBeGreaterThan(0);
		expect(first.end.blocksLeft).toBeLessThan(100);
		fake.troubles.before = () => {};
		expect(await request(1, 100)).toEqual(["mint"]);
		const second = await run(1, 100);
		expect(second.end).toMatchObject({ state: "done", blocksAll: 100 });
		expect(second.end.events).toBe(first.end.blocksLeft);
		expect([...tokens.values()].every((times) => times === 1)).toBe(true);
		expect(tokens.size).toBe(100);
		// Done is done: asked for once more it is read once more.
		expect(await request(1, 100)).toEqual([]);
		await core.leases.stop();
	});

	test("[ING-10] while another process backfills, the command watches, and takes over when that one ends", async () => {
		const { chainId, core, newCore, request, run, tokens } = newWorld();
		const other = newCore();
		await other.leases.hold(backfillLease(chainId));
		await request(1, 100);
		let looks = 0;
		const { end, shown } = await run(1, 100, {
			onShow: () => {
				if (++looks === 3) void other.leases.stop();
			},
		});
		expect(shown[0]?.state).toBe("watching");
		expect(end.state).toBe("done");
		expect(tokens.size).toBe(100);
		await core.leases.stop();
	});

	test("an unreachable endpoint is waited for, and its error is shown", async () => {
		const { core, fake, request, run, tokens } = newWorld();
		fake.troubles.down = true;
		await request(1, 100);
		const { end, shown } = await run(1, 100, {
			onShow: () => {
				const isSeen = fake.calls.length > 2;
				if (isSeen) fake.troubles.down = false;
			},
		});
		expect(
			shown.some(({ state, trouble }) => state === "waiting" && trouble === "rpc_transport"),
		).toBe(true);
		expect(end.state).toBe("done");
		expect(tokens.size).toBe(100);
		await core.leases.stop();
	});

	test("blocks above the head, or within reach of reorgs, are refused with the allowed range", async () => {
		const { core, request, setCursor } = newWorld();
		expect(await refusal(request(1, 301))).toContain(
			"lies above the head of the chain, which is 300",
		);
		expect(await refusal(request(1, 237))).toContain("Blocks above 236 may still leave the chain");
		expect(await refusal(request(1, 236))).toBe("nothing was refused");
		await setCursor(300);
		expect(await refusal(request(1, 300))).toBe("nothing was refused");
		// One lane's refusal leaves nothing of the other's.
		expect(await refusal(request(2, 299, ["mint", "sale"]))).toContain("the sale lane");
		expect(await request(2, 299)).toEqual([]);
		await core.leases.stop();
	});

	test("[ING-11] an operator rewinds a chain: rows, cursors and gaps go back to a block", async () => {
		const { access, core, chainId, fake, request, run, scanner, setCursor, tokens } = newWorld();
		const { signal } = new AbortController();
		await setCursor(300);
		await request(1, 100);
		await run(1, 100);
		await core.db.execute(
			`insert into chain_scanner.gap (chain_id, lane, from_block, to_block, reason)
		values ($1, 'mint', 40, 60, 'restart_behind')`,
			[chainId],
		);
		await scanner.rewind(access, 50, signal);
		expect(Math.max(...tokens.keys())).toBe(50);
		const [cursor] = await core.db.query(
			`select block_number as block, '0x' || encode(block_hash, 'hex') as hash
		from chain_scanner.cursor where chain_id = $1`,
			[chainId],
		);
		expect(cursor).toEqual({ block: 50, hash: fake.hashOf(50) });
		const [gap] = await core.db.query(
			"select to_block as to from chain_scanner.gap where chain_id = $1",
			[chainId],
		);
		expect(gap).toEqual({ to: 50 });
		await core.leases.stop();
	});

	test("[ING-11] a rewind that would keep blocks of a dead fork is refused, with the necessary depth", async () => {
		const { access, core, chainId, fake, scanner, setCursor } = newWorld();
		const { signal } = new AbortController();
		await setCursor(300);
		for (const number of [150, 200]) {
			await core.db.execute("insert into chain_scanner.block values ($1, $2, $3, null, false)", [
				chainId,
				number,
				Buffer.from(fake.hashOf(number).slice(2), "hex"),
			]);
		}
		fake.drop(120);
		fake.mineTo(300);
		expect(await refusal(scanner.rewind(access, 250, signal))).toContain("to a block below 200");
		expect(await refusal(scanner.rewind(access, 200, signal))).toContain("to a block below 200");
		expect(await refusal(scanner.rewind(access, 180, signal))).toBe("nothing was refused");
		expect(await refusal(scanner.rewind(access, 400, signal))).toContain("no block 400");
		// Below blocks that are sound, where a lane was left behind.
		await core.db.execute("insert into chain_scanner.block values ($1, 100, $2, null, false)", [
			chainId,
			Buffer.from(fake.hashOf(101).slice(2), "hex"),
		]);
		expect(await refusal(scanner.rewind(access, 160, signal))).toContain("to a block below 100");
		await core.leases.stop();
	});
});

describe("untilHead", () => {
	function world() {
		const fake = createFakeChain();
		fake.mineTo(3);
		const stopping = new AbortController();
		const notes: string[] = [];
		const chain = { slug: "anvil" } as Parameters<typeof untilHead>[0]["chain"];
		const ask = () =>
			untilHead(
				{ chain, rpcFor: () => fake.rpc },
				{ signal: stopping.signal, note: (line) => void notes.push(line) },
			);
		return { fake, stopping, notes, ask };
	}

	test("an unreachable endpoint is waited for, and logged once", async () => {
		const { fake, notes, ask } = world();
		fake.troubles.down = true;
		const asked = ask();
		while (notes.length === 0) await Promise.resolve();
		fake.troubles.down = false;
		expect((await asked)?.number).toBe(3);
		expect(notes).toEqual(["the RPC endpoint of anvil does not answer; waiting for it"]);
	});

	test("an aborted wait returns no head", async () => {
		const { fake, stopping, notes, ask } = world();
		fake.troubles.down = true;
		const asked = ask();
		while (notes.length === 0) await Promise.resolve();
		stopping.abort();
		expect(await asked).toBeNull();
	});
});
