import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keccak256 } from "viem";
import type { Hex, LogFilter } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import type { RpcInconsistency } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import { PROOFS_REFUSED_MAX } from "#plugins/chain-scanner/limits.ts";
import { HEAD_MINT_FILTERS } from "#plugins/chain-scanner/mint/mintSource.ts";
import {
	bloomHas,
	bloomMayHold,
	bloomOf,
	createLogProof,
} from "#plugins/chain-scanner/range/createLogProof.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/readRange.ts";
import { createLaneWorld, mintLog, unitsLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import {
	createFakeChain,
	type FakeChain,
	type FakeLog,
	type FakeTroubles,
} from "#test/harness/fakeChain.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("bloomHas", () => {
	let anvil: Anvil | undefined;
	afterAll(() => anvil?.stop());

	/** Computes a bloom as the Yellow Paper defines it, on one bigint. */
	function bloomOf(items: readonly Hex[]): Hex {
		let bits = 0n;
		for (const item of items) {
			const hash = keccak256(item);
			for (const at of [2, 6, 10])
				bits |= 1n << BigInt(Number(`0x${hash.slice(at, at + 4)}`) % 2048);
		}
		return `0x${bits.toString(16).padStart(512, "0")}`;
	}

	const bytes = (length: number) =>
		fc
			.uint8Array({ minLength: length, maxLength: length })
			.map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
	const items = fc.array(fc.oneof(bytes(20), bytes(32)), { maxLength: 40 });

	test("each item that was added to a bloom is found in it, in upper and lower case", () => {
		fc.assert(
			fc.property(items, (added) => {
				const bloom = bloomOf(added);
				const upper: Hex = `0x${bloom.slice(2).toUpperCase()}`;
				for (const item of added)
					expect([bloomHas(bloom, item), bloomHas(upper, item)]).toEqual([true, true]);
			}),
		);
	});

	test("an item is found exactly if the definition of the bloom finds it", () => {
		fc.assert(
			fc.property(items, bytes(32), (added, item) => {
				const bloom = bloomOf(added);
				expect(bloomHas(bloom, item)).toBe(
					(BigInt(bloom) & BigInt(bloomOf([item]))) === BigInt(bloomOf([item])),
				);
			}),
		);
	});

	test("an empty bloom contains nothing, a full one everything, and an invalid one excludes nothing", () => {
		const item: Hex = `0x${"12".repeat(32)}`;
		expect(bloomHas(`0x${"0".repeat(512)}`, item)).toBe(false);
		expect(bloomHas(`0x${"f".repeat(512)}`, item)).toBe(true);
		for (const broken of ["0x", "0x00", `0x${"0".repeat(511)}`, `0x${"0".repeat(514)}`] as const) {
			expect(bloomHas(broken, item)).toBe(true);
		}
	});

	test("the bloom of a real block has the address and topics of its logs, and not others", async () => {
		anvil = await startAnvil({ args: ["--no-mining"] });
		const [from] = await anvil.rpc<Hex[]>("eth_accounts");
		const topic: Hex = `0x${"ab".repeat(32)}`;
		const other: Hex = `0x${"cd".repeat(32)}`;
		// PUSH32 topic, PUSH1 0, PUSH1 0, LOG1: a contract whose creation writes one log.
		const data = `0x7f${topic.slice(2)}60006000a100`;
		const hash = await anvil.rpc("eth_sendTransaction", [{ from, data }]);
		await anvil.rpc("evm_mine");
		const receipt = await anvil.rpc<{ contractAddress: Hex; blockNumber: Hex }>(
			"eth_getTransactionReceipt",
			[hash],
		);
		const { logsBloom } = await anvil.rpc<{ logsBloom: Hex }>("eth_getBlockByNumber", [
			receipt.blockNumber,
			false,
		]);
		expect(bloomHas(logsBloom, topic)).toBe(true);
		expect(bloomHas(logsBloom, receipt.contractAddress)).toBe(true);
		expect(bloomHas(logsBloom, other)).toBe(false);
		expect(logsBloom).toBe(bloomOf([topic, receipt.contractAddress]));
	});
});

describe("createLogProof", () => {
	describe("bloomMayHold", () => {
		const word = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;
		const account = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`;
		const small = fc.integer({ min: 0, max: 5 });
		const logs = fc.array(
			fc.record({
				address: small.map(account),
				topics: fc.array(small.map(word), { maxLength: 4 }),
			}),
			{ maxLength: 6 },
		);
		const filters: fc.Arbitrary<LogFilter> = fc
			.record({
				address: fc.option(fc.array(small.map(account), { minLength: 1, maxLength: 3 })),
				topics: fc.array(
					fc.oneof(
						fc.constant(null),
						small.map(word),
						fc.array(small.map(word), { minLength: 1, maxLength: 3 }),
					),
					{ maxLength: 4 },
				),
			})
			.map(({ address, topics }) => (address ? { address, topics } : { topics }));

		test("[ING-14] a block with a log that fits a filter is never excluded by its own bloom", () => {
			fc.assert(
				fc.property(logs, filters, (all, filter) => {
					if (!all.some((log) => fitsFilter(log, filter))) return;
					expect(bloomMayHold(bloomOf(all), filter)).toBe(true);
				}),
			);
		});

		test("a block whose bloom lacks the address, or all of a topic's values, is excluded", () => {
			const bloom = bloomOf([{ address: account(1), topics: [word(1), word(2)] }]);
			expect(bloomMayHold(bloom, { address: [account(9)], topics: [] })).toBe(false);
			expect(bloomMayHold(bloom, { topics: [[word(8), word(9)]] })).toBe(false);
			expect(bloomMayHold(bloom, { topics: [word(1), word(9)] })).toBe(false);
			expect(bloomMayHold(bloom, { topics: [[word(9), word(1)], null] })).toBe(true);
			expect(bloomMayHold(bloom, { address: [account(9), account(1)], topics: [] })).toBe(true);
		});
	});

	describe("bloomOf", () => {
		test("[ING-14] the computed bloom of a real block equals the one in its header", async () => {
			const anvil = await startAnvil();
			try {
				const chain = await fixturesOn(anvil);
				const plain = await chain.deploy("Plain721", ["Plain", 0n]);
				const buyer = "0x00000000000000000000000000000000000b0b01";
				await chain.call("Plain721", plain, "mint", [buyer, 20n]);
				const header = parseHead(await anvil.rpc("eth_getBlockByNumber", ["latest", false]));
				if (!header) throw new Error("no head");
				const receipts = await anvil.rpc<{ logs: unknown[] }[]>("eth_getBlockReceipts", [
					header.hash,
				]);
				const { number } = header;
				const logs = parseLogs(
					receipts.flatMap((receipt) => receipt.logs),
					{ from: number, to: number },
				);
				expect(logs).toHaveLength(20);
				expect(bloomOf(logs)).toBe(header.logsBloom ?? "0x");
				expect(bloomOf(logs.slice(1))).not.toBe(header.logsBloom ?? "0x");
				expect(bloomHas(bloomOf(logs), plain)).toBe(true);
			} finally {
				await anvil.stop();
			}
		});

		test("a block without logs has an empty bloom", () => {
			expect(bloomOf([])).toBe(`0x${"0".repeat(512)}`);
		});
	});

	describe("createLogProof.lane", () => {
		// Guarantee: whatever a node tells, nothing wrong reaches the index, and the lane goes on as
		// soon as the truth is told.

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
			[
				"sends a log of no range",
				"foreign_log",
				logsOf3(([log]) => [{ ...log, blockNumber: "0x99" }]),
			],
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
			test(`[ING-14] a node that ${what} adds no wrong row, and the lane continues afterwards`, async () => {
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
				// On a busy machine the block may be a gap by now, and the lane beyond it.
				expect([1, 2, 4]).toEqual(expect.arrayContaining(await world.tokens()));
				expect(new Set(chain.distrusted)).toEqual(new Set(kind ? [kind] : []));
				chain.troubles.tamper = (_, answer) => answer;
				lane.look();
				await lane.untilIndexed(4);
				await lane.stop();
				const backfill = world.backfiller();
				await world.untilOwesNothing();
				await backfill.stop();
				expect(await world.tokens()).toEqual([1, 2, 3, 4]);
			});
		}

		test("[ING-14] a head of the far future has no effect, and the next true head is followed", async () => {
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
	});

	describe("createLogProof", () => {
		const filters = HEAD_MINT_FILTERS.map((topics) => ({ topics }));
		const { signal } = new AbortController();

		/** A chain whose newest block holds these logs, and what an honest node answers about it. */
		async function blockWith(...logs: FakeLog[]) {
			const chain = createFakeChain({ blooms: true });
			chain.mine([{ logs }]);
			const params = [{ fromBlock: "0x1", toBlock: "0x1", topics: [] }];
			const honest = parseLogs(await chain.rpc.call({ method: "eth_getLogs", params }), {
				from: 1,
				to: 1,
			});
			return { chain, honest, header: chain.headOf(1) };
		}

		/** What a proof says: the kind of the contradiction, or that there is none. */
		const verdict = (proof: Promise<void>): Promise<string> =>
			proof.then(
				() => "believed",
				(error: Fault) => String(error.meta["kind"] ?? error.code),
			);
		const receiptsAsked = (chain: FakeChain) =>
			chain.calls.filter(({ method }) => method === "eth_getBlockReceipts").length;

		test("[ING-14] logs that explain their block's bloom are believed without a further call", async () => {
			const { chain, honest, header } = await blockWith(mintLog(1), unitsLog(2n, 3n));
			const prove = createLogProof(chain.rpc);
			expect(await verdict(prove({ headers: [header], logs: honest, filters }, signal))).toBe(
				"believed",
			);
			expect(receiptsAsked(chain)).toBe(0);
		});

		test("[ING-14] logs that the bloom indicates and the node omits are reported as missing", async () => {
			const { chain, honest, header } = await blockWith(mintLog(1), unitsLog(2n, 3n));
			for (const logs of [[], honest.slice(1), honest.slice(0, 1)]) {
				const prove = createLogProof(chain.rpc);
				expect(await verdict(prove({ headers: [header], logs, filters }, signal))).toBe(
					"missing_logs",
				);
			}
		});

		test("[ING-14] a node that has neither a block's logs nor its receipts is not believed at first", async () => {
			const { chain, header } = await blockWith(mintLog(1));
			for (const receipts of [[], null, [{ logs: [] }]]) {
				const prove = createLogProof(chain.rpc);
				chain.troubles.tamper = ({ method }, answer) =>
					method === "eth_getBlockReceipts" ? receipts : answer;
				const asked = () => verdict(prove({ headers: [header], logs: [], filters }, signal));
				for (let times = 0; times < PROOFS_REFUSED_MAX; times++) {
					expect(await asked()).toBe("missing_logs");
				}
				// A chain whose blooms say more than its receipts must not stand still for ever.
				expect(await asked()).toBe("believed");
			}
		});

		test("[ING-14] several blocks with unexplained blooms are each counted by themselves", async () => {
			const chain = createFakeChain({ blooms: true });
			chain.mine([{ logs: [mintLog(1)] }]);
			chain.mine([{ logs: [mintLog(2)] }]);
			chain.troubles.tamper = ({ method }, answer) =>
				method === "eth_getBlockReceipts" ? [] : answer;
			const prove = createLogProof(chain.rpc);
			const asked = (number: number) =>
				verdict(prove({ headers: [chain.headOf(number)], logs: [], filters }, signal));
			for (let times = 0; times < PROOFS_REFUSED_MAX; times++) {
				expect([await asked(1), await asked(2)]).toEqual(["missing_logs", "missing_logs"]);
			}
			expect([await asked(1), await asked(2)]).toEqual(["believed", "believed"]);
		});

		test("[ING-14] a log that neither bloom nor receipts contain is reported as foreign", async () => {
			const { chain, honest, header } = await blockWith(mintLog(1));
			const [log] = honest;
			if (!log) throw new Error("no log");
			const prove = createLogProof(chain.rpc);
			const logs = [
				log,
				{ ...log, logIndex: "0x1" as const, address: `0x${"99".repeat(20)}` as const },
			];
			expect(await verdict(prove({ headers: [header], logs, filters }, signal))).toBe(
				"foreign_log",
			);
			// One liar does not make the chain's blooms worthless.
			expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
				"missing_logs",
			);
		});

		test("[ING-14] receipts of another block are no proof, and reported as a hash mismatch", async () => {
			const { chain, header } = await blockWith(mintLog(1));
			const prove = createLogProof(chain.rpc);
			chain.troubles.tamper = ({ method }, answer) => {
				if (method !== "eth_getBlockReceipts" || !Array.isArray(answer)) return answer;
				return answer.map(({ logs }) => ({
					logs: logs.map((log: object) => ({ ...log, blockHash: `0x${"e".repeat(64)}` })),
				}));
			};
			expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
				"hash_mismatch",
			);
		});

		test("a chain that leaves its blooms empty is believed after one read of the receipts", async () => {
			const { chain, honest } = await blockWith(mintLog(1));
			chain.troubles.emptyBlooms = true;
			const header = chain.headOf(1);
			const prove = createLogProof(chain.rpc);
			for (let times = 0; times < 3; times++) {
				expect(await verdict(prove({ headers: [header], logs: honest, filters }, signal))).toBe(
					"believed",
				);
			}
			expect(receiptsAsked(chain)).toBe(1);
		});

		test("a node without eth_getBlockReceipts is believed; one that does not answer is not", async () => {
			const { chain, honest, header } = await blockWith(mintLog(1));
			const prove = createLogProof(chain.rpc);
			chain.troubles.receipts = false;
			expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
				"believed",
			);
			chain.troubles.down = true;
			expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
				"rpc_transport",
			);
			chain.troubles.emptyBlooms = true;
			const empty = { headers: [chain.headOf(1)], logs: honest, filters };
			expect(await verdict(prove(empty, signal))).toBe("rpc_transport");
		});

		test("a header without a bloom, or with logs of other events, does not stop the lane", async () => {
			const other = { address: mintLog(1).address, topics: [`0x${"77".repeat(32)}` as const] };
			const { chain, header } = await blockWith(other);
			const prove = createLogProof(chain.rpc);
			expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
				"believed",
			);
			const bare = { ...chain.headOf(1), logsBloom: null };
			expect(await verdict(prove({ headers: [bare], logs: [], filters }, signal))).toBe("believed");
		});
	});
});
