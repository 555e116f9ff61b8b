import { describe, expect, test } from "bun:test";
import { padHex } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { RawLog } from "#core/chain/Hex.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import {
	createLaneHealth,
	laneProgress,
	undecodedReport,
	unreadBlocks,
} from "#plugins/chain-scanner/laneHealth.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

describe("laneHealth", () => {
	describe("laneProgress", () => {
		describe("laneProgress", () => {
			test("[API-18] many simultaneous callers cost one query a second, and a failed query is not cached", async () => {
				let nowMs = 0;
				let reads = 0;
				let rows: object[] = [];
				let failing = false;
				const query = async () => {
					reads++;
					if (failing) throw new Error("away");
					return rows;
				};
				const progress = laneProgress({ query } as unknown as Database, { nowMs: () => nowMs });
				expect(await progress(1, "sale")).toEqual({
					chainId: 1,
					lane: "sale",
					headBlock: null,
					indexedBlock: null,
					indexedAtMs: null,
					owes: false,
					coveredFromMs: null,
					coveredUntilMs: null,
				});
				rows = [{ blockNumber: 5, headBlock: 6, indexedAt: new Date(7) }];
				await Promise.all([progress(1, "sale"), progress(1, "sale")]);
				expect(reads).toBe(1);
				nowMs = 1_000;
				expect(await progress(1, "sale")).toMatchObject({
					indexedBlock: 5,
					headBlock: 6,
					indexedAtMs: 7,
				});
				expect(reads).toBe(2);
				await progress(1, "mint");
				expect(reads).toBe(3);
				nowMs = 2_000;
				failing = true;
				await expect(progress(1, "sale")).rejects.toThrow("away");
				failing = false;
				expect((await progress(1, "sale")).indexedBlock).toBe(5);
			});

			test("a lane behind the head covers up to its last block's time, one at the head up to its last check", async () => {
				const row = { blockNumber: 5, indexedAt: new Date(9_000), sinceAt: new Date(1_000) };
				const read = (headBlock: number, untilAt: Date | null) => {
					const query = async () => [{ ...row, headBlock, untilAt, owes: false }];
					const db = { query } as unknown as Database;
					return laneProgress(db, { nowMs: () => 0 })(1, "sale");
				};
				const since = { coveredFromMs: 1_000 };
				expect(await read(6, new Date(4_000))).toMatchObject({ ...since, coveredUntilMs: 4_000 });
				expect(await read(5, new Date(4_000))).toMatchObject({ ...since, coveredUntilMs: 9_000 });
				expect(await read(5, null)).toMatchObject({ ...since, coveredUntilMs: null });
			});

			test("a chain that makes no blocks is covered up to the last check of its head", async () => {
				const row = { blockNumber: 5, indexedAt: new Date(9_000), sinceAt: new Date(1_000) };
				const read = (headBlock: number, levelAt: Date) => {
					const query = async () => [{ ...row, headBlock, levelAt, untilAt: new Date(4_000) }];
					const db = { query } as unknown as Database;
					return laneProgress(db, { nowMs: () => 0 })(1, "sale");
				};
				const idle = { indexedAtMs: 9_000, coveredUntilMs: 900_000 };
				expect(await read(5, new Date(900_000))).toMatchObject(idle);
				expect(await read(5, new Date(8_000))).toMatchObject({ coveredUntilMs: 9_000 });
				expect(await read(6, new Date(900_000))).toMatchObject({ coveredUntilMs: 4_000 });
			});

			test("within a transaction the lane's position is read in it, each time", async () => {
				const never = async () => {
					throw new Error("another connection was asked");
				};
				let block = 0;
				const row = () => ({
					blockNumber: ++block,
					headBlock: 9,
					indexedAt: new Date(0),
					owes: false,
				});
				const progress = laneProgress({ query: never } as unknown as Database, { nowMs: () => 0 });
				const tx = { query: async () => [row()] } as unknown as Tx;
				expect((await progress(1, "sale", tx)).indexedBlock).toBe(1);
				expect((await progress(1, "sale", tx)).indexedBlock).toBe(2);
			});
		});
	});

	describe("laneHealth", () => {
		function lanes() {
			let nowMs = 0;
			const health = createLaneHealth({ nowMs: () => nowMs });
			const failFor = (lane: string, seconds: number) => {
				for (let second = 0; second <= seconds; second += 5) {
					health.failed(lane, "rpc_transport");
					nowMs += 5_000;
				}
			};
			return { health, failFor, wait: (ms: number) => (nowMs += ms) };
		}

		test("a lane that fails for a minute is reported, with its reason and duration", () => {
			const { health, failFor } = lanes();
			failFor("anvil sale", 50);
			expect(health.trouble()).toBeNull();
			failFor("anvil sale", 10);
			expect(health.trouble()).toBe("anvil sale has failed for 70 s (rpc_transport)");
		});

		test("a lane that writes again is healthy", () => {
			const { health, failFor } = lanes();
			failFor("anvil sale", 120);
			health.worked("anvil sale");
			expect(health.trouble()).toBeNull();
		});

		test("failures that are far apart do not count as an outage, however many there are", () => {
			const { health, failFor, wait } = lanes();
			failFor("anvil sale", 55);
			wait(31_000);
			expect(health.trouble()).toBeNull();
			failFor("anvil sale", 5);
			expect(health.trouble()).toBeNull();
		});

		test("a chain without any announced head is not ready, with that reason", () => {
			const { health } = lanes();
			health.awaits("anvil head");
			expect(health.trouble()).toBe("anvil head has not been heard yet");
			health.failed("anvil head", "rpc_wrong_chain");
			expect(health.trouble()).toBe("anvil head has not been heard yet (rpc_wrong_chain)");
			health.worked("anvil head");
			expect(health.trouble()).toBeNull();
		});

		test("[ING-11] a reorg that is too deep is reported at once, until it ends", () => {
			const { health, wait } = lanes();
			health.failed("anvil sale", "reorg_too_deep");
			expect(health.trouble()).toBe("anvil sale has failed for 0 s (reorg_too_deep)");
			wait(31_000);
			expect(health.trouble()).toBeNull();
			health.failed("anvil sale", "reorg_too_deep");
			health.worked("anvil sale");
			expect(health.trouble()).toBeNull();
		});
	});
});

describe("undecodedReport", () => {
	describe("undecodedReport", () => {
		test("a log that cannot be decoded is counted each time and logged once, with its context", async () => {
			const metrics = createMetrics();
			const lines: Record<string, unknown>[] = [];
			const log = {
				...silentLog,
				warn: (_: string, context?: Record<string, unknown>) => void lines.push(context ?? {}),
			};
			const report = undecodedReport({ chain: "anvil", metrics, log });
			const raw: RawLog = seaportLogs.log({ topics: [], data: "0x", logIndex: 4 });
			report.undecoded("mint", raw, "has 3 ids and 2 amounts");
			report.undecoded("mint", raw, "has 5 ids and 9 amounts");
			report.undecoded("mint", { ...raw, address: padHex("0x2", { size: 20 }) }, "is cut short");
			report.noise("mint", 7);
			report.noise("mint", 0);
			expect(lines).toHaveLength(2);
			expect(lines[0]).toEqual({
				lane: "mint",
				problem: "has 3 ids and 2 amounts",
				contract: raw.address,
				block: 1,
				logIndex: 4,
				transaction: raw.transactionHash,
			});
			const { body } = await metrics.expose();
			expect(body).toContain('tapeline_logs_undecoded_total{chain="anvil",lane="mint"} 3');
			expect(body).toContain('tapeline_logs_noise_total{chain="anvil",lane="mint"} 7');
		});
	});
});

describe("unreadBlocks", () => {
	test("blocks that no reading made sense of are named for operators, for one query in ten seconds", async () => {
		let nowMs = 100_000;
		let reads = 0;
		let rows: object[] = [{ chainId: 1, lane: "mint", blocks: 3, sinceAt: new Date(40_000) }];
		const query = async () => {
			reads++;
			return rows;
		};
		const chains = createChainRegistry(builtinChains);
		const db = { query } as unknown as Database;
		const degraded = unreadBlocks({ db, chains, clock: { nowMs: () => nowMs } });
		const [first] = await degraded();
		expect(first).toMatchObject({ code: "blocks_unread", count: 3, oldestAgeSeconds: 60 });
		expect(first?.action).toContain("The mint lane of ethereum");
		rows = [];
		expect(await degraded()).toHaveLength(1);
		expect(reads).toBe(1);
		nowMs += 10_000;
		expect(await degraded()).toEqual([]);
	});
});
