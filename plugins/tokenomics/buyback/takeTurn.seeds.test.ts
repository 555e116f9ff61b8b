import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createLedger } from "#plugins/tokenomics/ledger/createLedger.ts";
import { MODES, type Mode } from "#plugins/tokenomics/testing/openRouterLab.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

describe("buybacks on a lossy chain", () => {
	// Guarantee: with processes that end anywhere, purchases that revert, blocks that leave the chain
	// and prices that jump, the ledger is what the chain says: each burn has one entry, no run spends
	// more than its bound, and runs together no more than revenue earned for burning.

	const isProving = process.env["PROVE"] === "1";
	const SEED = Number(process.env["BUYBACK_SEED"] ?? TEST_SEED);
	const RUNS = isProving ? 300 : 10;
	const SLOTS = isProving ? 6 : 3;
	const ETHER = 10n ** 18n;
	const FINAL_DEPTH = 6;

	let database: TestDatabase;
	let chain: BurnChain;
	const clock = { ms: 0 };
	const traces = new Map();
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		await chain.openDeepPools();
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	let deaths = 0;

	/** A process that ends after so many steps, before or after one of them. */
	function processOf(stepsLeft: number): BuybackLab {
		let left = stepsLeft;
		deaths += 1;
		return openBuybackLab({
			...{ db: database.db, chain, clock, traces, env: { BUYBACK_DAY_USD_MAX: 1_000_000 } },
			...(Number.isFinite(stepsLeft) && { session: `gone ${deaths}` }),
			async observe() {
				left -= 1;
				if (left < 0) throw new Error("the process is gone");
			},
		});
	}

	const healthy = () => processOf(Number.POSITIVE_INFINITY);

	const between = (prng: Prng, from: number, to: number) => from + prng.int(to - from + 1);

	async function earnSome(prng: Prng): Promise<void> {
		const { usd } = chain.addresses;
		if (prng.chance(0.7)) await chain.earn((ETHER * BigInt(between(prng, 1, 90))) / 100n);
		if (prng.chance(0.5)) await chain.earn(ETHER * BigInt(between(prng, 20, 900)), usd);
	}

	/** Somebody trades: a little, or so much that no run may follow. */
	async function jump(prng: Prng): Promise<void> {
		const { weth, token } = chain.addresses;
		const has = await chain.balance(token, chain.who.searcher);
		const swap =
			has > 0n && prng.chance(0.5)
				? { tokenIn: token, tokenOut: weth, raw: has }
				: { tokenIn: weth, tokenOut: token, raw: (ETHER * BigInt(between(prng, 1, 900))) / 100n };
		await chain.swap({ ...swap, fee: 3000 });
		if (prng.chance(0.6)) await chain.pass(between(prng, 60, 5_000));
	}

	/** Blocks leave the chain; what the keeper had sent comes back from the pools of other nodes. */
	async function reorganise(prng: Prng): Promise<void> {
		const gone = await chain.reorg(between(prng, 1, 2));
		if (prng.chance(0.3)) await chain.pass(40);
		for (const raw of gone) await chain.anvil.rpc<Hex>("eth_sendRawTransaction", [raw]);
	}

	async function playSlot(prng: Prng): Promise<void> {
		if (prng.chance(0.7)) await earnSome(prng);
		if (prng.chance(0.4)) await jump(prng);
		const lab = prng.chance(0.4) ? processOf(between(prng, 1, 60)) : healthy();
		await lab.nextSlot();
		const { weth, token, burner } = chain.addresses;
		if (prng.chance(0.3)) {
			// The price jumps between the decision and the block: beyond the bound it reverts.
			const raw = ETHER * BigInt(between(prng, 1, 40));
			lab.state.beforeSend = async () => {
				if (lab.sent.at(-1)?.to !== burner) return;
				await chain.swap({ tokenIn: weth, tokenOut: token, fee: 3000, raw });
			};
		}
		if (prng.chance(0.3)) lab.state.answer = { kind: "unknown", detail: "a time-out" };
		await lab.turn().catch(() => null);
		for (let tick = between(prng, 0, 4); tick > 0; tick--) await lab.tick().catch(() => null);
		if (prng.chance(0.4)) await reorganise(prng);
		if (prng.chance(0.5)) await healthy().tick(10);
	}

	/** What the treasury's ledger says, once all is final. */
	async function followed(): Promise<{ spent: bigint; burned: bigint }[]> {
		const { token, router, burner } = chain.addresses;
		const limits = { timeoutMs: 5_000, batchMax: 50, concurrencyMax: 2, bodyBytesMax: 10_000_000 };
		const ledger = createLedger({
			...{ db: database.db, clock: { nowMs: () => clock.ms }, log: silentLog },
			rpc: httpRpc({ url: chain.anvil.url, ...limits }),
			...{ finalDepth: FINAL_DEPTH, metrics: createMetrics(), randomAddress: () => ZERO_ADDRESS },
			currencies: [chain.addresses.usd],
			contracts: async () => ({
				...{ chainId: 4663, token, router, burner, fromBlock: 0 },
				saidBy: { kind: "configuration" },
			}),
		});
		await chain.anvil.rpc("anvil_mine", [`0x${(FINAL_DEPTH + 1).toString(16)}`]);
		await ledger.run(new AbortController().signal, { isDue: true });
		expect(await ledger.degraded()).toEqual([]);
		const rows = await database.db.query<{ spent: string; burned: string }>(
			`select amount::text as spent, burned::text as burned from tokenomics.entry
		where entry_type = 'buyback_burned' order by block, log_index`,
		);
		return rows.map(({ spent, burned }) => ({ spent: BigInt(spent), burned: BigInt(burned) }));
	}

	async function judge(lab: BuybackLab): Promise<void> {
		const burns = await chain.burns();
		expect(await followed()).toEqual(burns);
		const held = await lab.held();
		const made = held.filter(({ raw }) => raw > 0n).map(({ raw }) => raw);
		const bySize = (amounts: bigint[]) => amounts.toSorted((one, other) => (one < other ? -1 : 1));
		// Each burn is one run's, and each run that spent is one burn.
		expect(bySize(made)).toEqual(bySize(burns.map(({ spent }) => spent)));
		const runs = await database.db.query<{ slot: number; spend: string; usd: string; id: string }>(
			`select slot, spend_raw::text as spend, usd_micros::text as usd, intent_id as id
		from tokenomics.buyback_run`,
		);
		const spends = new Map(runs.map((run) => [run.id, BigInt(run.spend)]));
		expect(held.every(({ intentId, raw }) => raw <= (spends.get(intentId) ?? -1n))).toBe(true);
		expect(runs.every(({ usd }) => BigInt(usd) <= lab.turnDeps.bounds.runUsdMicrosMax)).toBe(true);
		expect(new Set(runs.map(({ slot }) => slot)).size).toBe(runs.length);
		for (const currency of [ZERO_ADDRESS, chain.addresses.usd]) {
			expect((await chain.spentBy(currency)) <= (await chain.earned(currency))).toBe(true);
		}
	}

	test(
		`[TOK-04] the ledger equals the chain after any disturbance of a run (BUYBACK_SEED=${SEED})`,
		async () => {
			for (let run = 0; run < RUNS; run++) {
				const prng = createPrng(SEED + run);
				for (let slot = 0; slot < SLOTS; slot++) await playSlot(prng);
				const last = healthy();
				await last.tick(31);
				await last.settled();
				await judge(last);
			}
			expect((await chain.burns()).length).toBeGreaterThan(RUNS / 2);
		},
		2 * TEST_LIMIT_MS,
	);
});

describe("a buyback of a misbehaving token", () => {
	// Guarantee: a token that refuses, keeps or burns a part, or says another amount than it moves,
	// is not bought, and one that revenue came in is not spent: a run ends with a code and nothing
	// burned.

	const ETHER = 10n ** 18n;

	let database: TestDatabase;
	let chain: BurnChain;
	const clock = { ms: 0 };
	beforeAll(async () => {
		[database, chain] = await Promise.all([
			createTestDatabase(),
			openBurnChain({ token: "OddToken" }),
		]);
		const { weth, token } = chain.addresses;
		const opened = { in: 400n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: weth, token, fee: 3000, ...opened });
		await chain.earn(20n * ETHER);
		await chain.pass(4_000);
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	const modeOf = (mode: Mode) => MODES.indexOf(mode);
	const last = async (lab: BuybackLab) =>
		(await lab.intents()).findLast(({ kind }) => kind === "buyback");

	test.each([
		["false", /pool_one_sided|simulation_failed/],
		["idle", /pool_one_sided|simulation_failed/],
		["fee", /simulation_failed|pool_one_sided/],
		["halfBurning", /simulation_failed/],
		["overBurning", /simulation_failed/],
	] as const)("a token that is %s is not bought", async (mode, code) => {
		const lab = openBuybackLab({ db: database.db, chain, clock });
		await lab.nextSlot();
		const { token, weth } = chain.addresses;
		await chain.setMode(token, modeOf(mode));
		const [pool, supply] = [await chain.balance(weth, chain.who.keeper), await chain.supply()];
		const turn = await lab.run();
		const status = await lab.status();
		expect([turn.kind, status.code]).toEqual([turn.kind, expect.stringMatching(code)]);
		expect(await chain.supply()).toBe(supply);
		expect(await chain.balance(weth, chain.who.keeper)).toBe(pool);
		expect(await chain.burns()).toEqual([]);
		expect((await lab.held()).every(({ raw }) => raw === 0n)).toBe(true);
		await chain.setMode(token, modeOf("honest"));
	});

	test("a token that keeps more than the slippage of each transfer is refused before it is bought", async () => {
		const lab = openBuybackLab({
			db: database.db,
			chain,
			clock,
			env: { BUYBACK_SLIPPAGE_BPS_MAX: 1_000 },
		});
		await lab.nextSlot();
		await chain.setMode(chain.addresses.token, modeOf("fee"));
		await lab.run();
		expect((await lab.status()).code).toBe("token_unsafe");
		expect(await chain.burns()).toEqual([]);
		await chain.setMode(chain.addresses.token, modeOf("honest"));
	});

	test("the same token is bought and burned after it behaves correctly", async () => {
		const lab = openBuybackLab({ db: database.db, chain, clock });
		await lab.nextSlot();
		expect(await lab.run()).toMatchObject({ kind: "began" });
		expect((await last(lab))?.status).toBe("confirmed");
		expect(await chain.burns()).toHaveLength(1);
	});

	test.each(["false", "idle", "fee", "greedy"] as const)(
		"revenue in a token that is %s buys nothing, and none of it is counted as spent",
		async (mode) => {
			const { token, burner } = chain.addresses;
			const odd = await chain.own("OddToken");
			await chain.mint(odd, chain.who.owner, 10n ** 30n);
			await chain.allow(odd);
			const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
			await chain.openPool({ tokenIn: odd, token, fee: 3000, ...dollars });
			await chain.earn(2_000n * ETHER, odd);
			await chain.pass(4_000);
			const lab = openBuybackLab({
				...{ db: database.db, chain, clock, env: { BUYBACK_CURRENCIES: `${odd}` } },
			});
			lab.prices.set({ chainId: 4663, currency: odd, usd: 1 });
			const [burns, count] = [(await chain.burns()).length, (await lab.held()).length];
			await chain.setMode(odd, modeOf(mode));
			const codes: (string | null)[] = [];
			for (let turn = 0; turn < 3; turn++) {
				await lab.nextSlot();
				await lab.run();
				codes.push((await lab.status()).code);
			}
			expect(codes.every((code) => code !== null)).toBe(true);
			expect(await chain.burns()).toHaveLength(burns);
			// What the burner may take is no more than the keeper has of it, and only the keeper asks it.
			const allowed = await chain.allowance(odd, chain.who.keeper, burner);
			expect(allowed <= (await chain.balance(odd, chain.who.keeper))).toBe(true);
			expect((await lab.held()).slice(count).every(({ raw }) => raw === 0n)).toBe(true);
		},
	);
});
