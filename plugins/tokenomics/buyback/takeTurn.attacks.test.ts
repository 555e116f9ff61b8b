import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { createPoolRecord, watchPools } from "#plugins/tokenomics/buyback/readPools.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

const ETHER = 10n ** 18n;
const BPS = 10_000n;
const isProving = process.env["PROVE"] === "1";

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

const open = (more: Partial<Parameters<typeof openBuybackLab>[0]> = {}): BuybackLab =>
	openBuybackLab({ db: database.db, chain, clock, traces, ...more });
const lastOf = async (lab: BuybackLab) =>
	(await lab.intents()).findLast(({ kind }) => kind === "buyback");

describe("a feed that fails during a run", () => {
	// Guarantee: what was sized by a price that nobody knows any more, or that was far off, is not
	// bought; the money stays where the next run finds it.

	type Rate = NonNullable<ReturnType<BuybackLab["prices"]["usdRate"]>>;

	test.each([
		["is silent from the first step on", "no_price", () => null],
		["says nothing", "no_price", (rate: Rate) => ({ ...rate, answer: 0n })],
		["triples", "rate_moved", (rate: Rate) => ({ ...rate, answer: 3n * rate.answer })],
	] as const)("one that %s ends the run with %s", async (_, code, changed) => {
		const { usd } = chain.addresses;
		// More than one run may spend, so that each is sized by the price.
		await chain.earn(5_000n * ETHER, usd);
		const lab = open({ env: { BUYBACK_CURRENCIES: usd, BUYBACK_DAY_USD_MAX: 1_000_000 } });
		const before = (await chain.burns()).length;
		const real = lab.turnDeps.prices.usdRate;
		lab.state.afterSend = async () => {
			// After the first step: a release, or an allowance where the router had paid before.
			if (lab.sent.at(-1)?.to === chain.addresses.burner) return;
			lab.turnDeps.prices.usdRate = (priced, atMs) => {
				const rate = real(priced, atMs);
				return rate && priced.currency === usd ? changed(rate) : rate;
			};
		};
		await lab.nextSlot();
		expect(await lab.run()).toMatchObject({ kind: "began" });
		expect(await lastOf(lab)).toMatchObject({ status: "rejected", code });
		expect(await chain.burns()).toHaveLength(before);
		expect((await lab.held()).at(-1)?.raw).toBe(0n);
		const next = open({ env: { BUYBACK_CURRENCIES: usd, BUYBACK_DAY_USD_MAX: 1_000_000 } });
		await next.nextSlot();
		expect(await next.run()).toMatchObject({ kind: "began" });
		expect((await chain.burns()).at(-1)?.spent).toBe(500n * ETHER);
	});
});

describe("a price that is manipulated over several blocks", () => {
	// Guarantee: whoever moves the pool's price and holds it for a part of the averaged time has a
	// run refused, or burn at most the bounds together less than at the price before.

	const WINDOW_S = 1_800;

	test.each(
		[1n, 3n, 6n, 20n].flatMap((coins) => [12, 120, 600].map((heldS) => [coins, heldS] as const)),
	)("%p coins held for %p seconds cost at most slippage and deviation", async (coins, heldS) => {
		const { weth, token } = chain.addresses;
		await chain.earn(ETHER / 2n);
		await chain.pass(4_000);
		const lab = open({
			env: { BUYBACK_CURRENCIES: ZERO_ADDRESS, BUYBACK_DAY_USD_MAX: 1_000_000 },
		});
		await lab.nextSlot();
		const has = await chain.balance(token, chain.who.searcher);
		const fair = await quoted(ETHER);
		await chain.swap({ tokenIn: weth, tokenOut: token, fee: 3000, raw: coins * ETHER });
		for (let block = 0; block < 6; block++) await chain.pass(heldS / 6);
		const before = (await chain.burns()).length;
		const turn = await lab.run();
		const made = (await chain.burns()).slice(before);
		const raw = (await chain.balance(token, chain.who.searcher)) - has;
		await chain.swap({ tokenIn: token, tokenOut: weth, fee: 3000, raw });
		if (turn.kind === "refused") {
			expect(turn.refusal.code).toBe("price_moved");
			expect(made).toEqual([]);
			return;
		}
		const { slippageBps, deviationBps } = lab.turnDeps.bounds;
		// A mean of which a part was moved lags behind by what is left of the time.
		const lag = (deviationBps * BigInt(WINDOW_S)) / BigInt(WINDOW_S - heldS - 60);
		for (const { spent, burned } of made) {
			const least = (((fair * spent) / ETHER) * (BPS - slippageBps - lag)) / BPS;
			expect(burned >= least).toBe(true);
		}
	});

	/** What a coin buys of the token now, at the pool's own price after a tiny purchase. */
	async function quoted(raw: bigint): Promise<bigint> {
		const { weth, token, swapRouter } = chain.addresses;
		const small = raw / 10_000n;
		const data = chain.swapData({ tokenIn: weth, tokenOut: token, fee: 3000, raw: small });
		const call = { from: chain.who.searcher, to: swapRouter, data };
		return BigInt(await chain.anvil.rpc<string>("eth_call", [call, "latest"])) * 10_000n;
	}
});

describe("a pool whose price cost its owner nothing", () => {
	// Guarantee: whoever opens a pool of the token at a price of their own, and only sells there,
	// sells nothing to a run, however deep the pool seems and however long it stands; nor
	// does who makes such a price the mean, and fills the pool afterwards.

	const SPAN_S = 1_800;
	const dear = { fee: 500, in: ETHER, out: 2_500n * ETHER } as const;

	/** Reads the pools each minute of so many, as a process does. */
	async function watch(lab: BuybackLab, minutes: number): Promise<void> {
		for (let minute = 0; minute < minutes; minute++) {
			await chain.pass(60);
			await lab.sync();
			await watchPools(lab.turnDeps, new AbortController().signal);
		}
	}
	const coins = (fees: string) => ({
		...{ BUYBACK_CURRENCIES: ZERO_ADDRESS, BUYBACK_DAY_USD_MAX: 1_000_000 },
		BUYBACK_FEE_TIERS: fees,
	});
	const toDearPool = () => ({ tokenIn: chain.addresses.weth, token: chain.addresses.token });

	test("a pool that sells the token at ten times its price, and buys none, is not bought through", async () => {
		const { token } = chain.addresses;
		await chain.give(token, chain.who.searcher, 10n ** 24n);
		await chain.openSided({ ...toDearPool(), ...dear });
		await chain.earn(ETHER);
		const record = createPoolRecord(SPAN_S * 1_000);
		const lab = open({ env: coins("500,3000"), record });
		await chain.pass(2_000);
		await lab.nextSlot();
		const before = (await chain.burns()).length;
		// A process that has just begun knows nothing of its pools.
		expect(await lab.run()).toMatchObject({ refusal: { code: "pool_unwatched" } });
		await watch(lab, 32);
		expect(await lab.run()).toMatchObject({ kind: "began" });
		const made = (await chain.burns()).slice(before);
		expect(made).toHaveLength(1);
		for (const { spent, burned } of made) expect(burned).toBeGreaterThan(spent * 20_000n);
	});

	test("the same pool alone is refused, also filled on both sides when the mean is its own", async () => {
		await chain.earn(ETHER);
		const record = createPoolRecord(SPAN_S * 1_000);
		const lab = open({ env: coins("500"), record });
		const before = (await chain.burns()).length;
		await watch(lab, 32);
		expect(await lab.run()).toMatchObject({ refusal: { code: "pool_one_sided" } });
		await chain.openPool({ ...toDearPool(), fee: 500, in: 100n * ETHER, out: 250_000n * ETHER });
		expect(await lab.run()).toMatchObject({ refusal: { code: "pool_one_sided" } });
		expect((await chain.burns()).length).toBe(before);
	});

	test("a deep pool that sells dear gets nothing while another sells for less", async () => {
		const record = createPoolRecord(SPAN_S * 1_000);
		const lab = open({ env: coins("500,3000"), record });
		const before = (await chain.burns()).length;
		await watch(lab, 32);
		// The dear pool was paid on both sides all the time, and holds more.
		await chain.openPool({ ...toDearPool(), fee: 500, in: 900n * ETHER, out: 2_250_000n * ETHER });
		await watch(lab, 32);
		expect(await lab.run()).toMatchObject({ kind: "began" });
		const made = (await chain.burns()).slice(before);
		expect(made).toHaveLength(1);
		for (const { spent, burned } of made) expect(burned).toBeGreaterThan(spent * 20_000n);
	});

	test.each([
		["was read all the time", [...Array(31)].map((_, at) => at * 60), 7n],
		["was first read too late", [...Array(29)].map((_, at) => 120 + at * 60), null],
		["was not read for six minutes", [0, 300, 600, 960, 1_260, 1_560, 1_800], null],
		["was not read lately", [0, 300, 600, 900, 1_200, 1_490], null],
		["was empty once", [0, 300, 600, 900, -1_200, 1_500, 1_800], 0n],
	] as const)("a pool that %s", (_, times, least) => {
		const record = createPoolRecord(SPAN_S * 1_000);
		const pool = chain.addresses.token;
		for (const at of times) {
			record.note({ pool, offered: at < 0 ? 0n : 7n }, Math.abs(at) * 1_000);
		}
		expect(record.least(pool, SPAN_S * 1_000)).toBe(least);
		expect(record.least(chain.addresses.usd, SPAN_S * 1_000)).toBeNull();
	});
});

// Guarantee: whatever the times of readings are, a pool counts with no more than any reading of the
// time shows, and only where no part of that time is without one.
test(`a record never says more than its readings (TEST_SEED=${TEST_SEED})`, () => {
	const spanMs = 1_800_000;
	const gapMs = spanMs / 6;
	let known = 0;
	for (let round = 0; round < 500; round++) {
		const prng = createPrng(TEST_SEED + round);
		const record = createPoolRecord(spanMs);
		const pool = chain.addresses.token;
		const readings: { atMs: number; offered: bigint }[] = [];
		let nowMs = prng.int(1_000_000);
		for (let count = 40 + prng.int(400); count > 0; count--) {
			nowMs += prng.chance(0.02) ? prng.int(2 * gapMs) : prng.int(20_000);
			const offered = prng.chance(0.01) ? 0n : BigInt(1 + prng.int(1_000));
			readings.push({ atMs: nowMs, offered });
			record.note({ pool, offered }, nowMs);
		}
		nowMs += prng.int(prng.chance(0.2) ? 2 * gapMs : 20_000);
		const least = record.least(pool, nowMs);
		const within = readings.filter(({ atMs }) => atMs >= nowMs - spanMs);
		const times = [...within.map(({ atMs }) => atMs), nowMs];
		const holes = times.slice(1).filter((atMs, index) => atMs - (times[index] ?? 0) > gapMs);
		const isEarly = readings.some(({ atMs }) => atMs <= nowMs - spanMs);
		const isCovered = within.length > 0 && holes.length === 0 && isEarly;
		const lowest = within.reduce<bigint | null>(
			(low, { offered }) => (low === null || offered < low ? offered : low),
			null,
		);
		if (least === null) continue;
		known++;
		expect({ round, isCovered }).toEqual({ round, isCovered: true });
		expect(least <= (lowest ?? 0n)).toBe(true);
	}
	expect(known).toBeGreaterThan(20);
});

describe("processes that end during a release", () => {
	// Guarantee: of many runs, each of which begins with a release that its process does not survive,
	// each pays once, and the burn's share is spent to the unit.

	const RUNS = isProving ? 60 : 12;
	const SHARE = 20n * ETHER;
	/** Edges from the first of a release on at which a process may end. */
	const EDGES = 14;

	test(
		`no release is doubled or lost (TEST_SEED=${TEST_SEED})`,
		async () => {
			const { usd } = chain.addresses;
			const env = { BUYBACK_CURRENCIES: usd, BUYBACK_DAY_USD_MAX: 1_000_000 };
			const prng = createPrng(TEST_SEED);
			const drained = open({ env });
			for (let slot = 0; slot < 12; slot++) {
				await drained.nextSlot();
				if ((await drained.run()).kind === "refused") break;
			}
			const spentBefore = await chain.spentBy(usd);
			const seen = new Set<string>();
			for (let run = 0; run < RUNS; run++) {
				await chain.earn(5n * SHARE, usd);
				let isInside = false;
				let left = prng.int(EDGES);
				const mortal = open({
					...{ env, session: `gone in release ${run}` },
					async observe(step, edge) {
						// From the question of what the router owes on, a release is under way.
						isInside ||= step === "buyback.owed";
						if (!isInside) return;
						if (left === 0) seen.add(`${step}:${edge}`);
						left -= 1;
						if (left < 0) throw new Error("the process is gone");
					},
				});
				await mortal.nextSlot();
				await mortal.turn().catch(() => null);
				for (let tick = 0; tick < 6; tick++) await mortal.tick(10).catch(() => null);
				const heir = open({ env });
				await heir.tick(31);
				await heir.settled();
				if ((await chain.spentBy(usd)) - spentBefore === SHARE * BigInt(run + 1)) continue;
				await heir.nextSlot();
				await heir.run();
				expect((await chain.spentBy(usd)) - spentBefore).toBe(SHARE * BigInt(run + 1));
			}
			expect(await chain.balance(usd, chain.who.keeper)).toBe(0n);
			expect(seen.size).toBeGreaterThan(Math.min(RUNS, EDGES) / 3);
			const held = (await drained.held()).reduce((sum, { raw }) => sum + raw, 0n);
			const burns = (await chain.burns()).reduce((sum, { spent }) => sum + spent, 0n);
			expect(held).toBe(burns);
		},
		2 * TEST_LIMIT_MS,
	);
});
