import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
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
