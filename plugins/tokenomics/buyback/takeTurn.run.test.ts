import { afterAll, beforeAll, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a run spends what revenue earned for burning, within its bounds, through the deepest
// pool, and burns what it bought; the spend ledger holds exactly what the chain says.

const ETHER = 10n ** 18n;

let database: TestDatabase;
let chain: BurnChain;
let lab: BuybackLab;
beforeAll(async () => {
	[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
	const { weth, token, usd } = chain.addresses;
	const coin = { tokenIn: weth, token };
	await chain.openPool({ ...coin, fee: 500, in: 20n * ETHER, out: 500_000n * ETHER });
	await chain.openPool({ ...coin, fee: 3000, in: 400n * ETHER, out: 10_000_000n * ETHER });
	const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
	await chain.openPool({ tokenIn: usd, token, fee: 10000, ...dollars });
	await chain.pass(2_000);
	lab = openBuybackLab({ db: database.db, chain });
});
afterAll(async () => {
	await chain?.anvil.stop();
	await database?.drop();
});

const kindsSince = async (count: number) =>
	(await lab.intents()).slice(count).map(({ kind, status }) => `${kind} ${status}`);

test("revenue in the coin is released, and buys through the deepest pool what is burned", async () => {
	await chain.earn(ETHER / 2n);
	const [supply, balance] = [
		await chain.supply(),
		await chain.balance(ZERO_ADDRESS, chain.who.keeper),
	];
	expect(await lab.run()).toMatchObject({ kind: "began", left: [] });
	expect((await kindsSince(0)).sort()).toEqual(["buyback confirmed", "buyback-release confirmed"]);
	const [burn, ...others] = await chain.burns();
	expect(others).toEqual([]);
	// A fifth of it was for burning, less nothing: the keeper's own coin pays for gas alone.
	expect(burn?.spent).toBe(ETHER / 10n);
	expect(supply - (await chain.supply())).toBe(burn?.burned ?? 0n);
	const [held] = await lab.held();
	expect(held).toMatchObject({ status: "confirmed", raw: burn?.spent });
	const status = await lab.status();
	expect(status).toMatchObject({ isEnabled: true, code: null, left: [] });
	expect(status.lastRun).toMatchObject({ status: "confirmed", heldRaw: burn?.spent });
	const shown = (await lab.intents()).find(({ kind }) => kind === "buyback")?.plan.shown;
	expect(shown).toMatchObject({ fee: 3000, action: "buyback" });
	expect(burn?.burned).toBe(BigInt(shown.simulatedRaw));
	const gas = balance - (await chain.balance(ZERO_ADDRESS, chain.who.keeper));
	expect(gas > 0n && gas < ETHER / 100n).toBe(true);
});

test("what an operator sent the keeper for gas is never spent", async () => {
	await lab.nextSlot();
	await chain.setBalance(chain.who.keeper, ETHER);
	const nonce = await chain.nonce(chain.who.keeper);
	expect(await lab.run()).toMatchObject({
		...{ kind: "refused", left: [], refusal: { code: "nothing_to_spend" } },
	});
	expect(await chain.nonce(chain.who.keeper)).toBe(nonce);
});

test("revenue in a token is spent by an exact allowance, of which nothing is left", async () => {
	await lab.nextSlot();
	const { usd, burner } = chain.addresses;
	const count = (await lab.intents()).length;
	await chain.earn(2_000n * ETHER, usd);
	expect(await lab.run()).toMatchObject({ kind: "began" });
	expect((await kindsSince(count)).sort()).toEqual([
		...["allowance confirmed", "buyback confirmed", "buyback-release confirmed"],
	]);
	const burn = (await chain.burns()).at(-1);
	expect(burn?.spent).toBe(400n * ETHER);
	expect(await chain.allowance(usd, chain.who.keeper, burner)).toBe(0n);
	expect(await chain.balance(usd, chain.who.keeper)).toBe(0n);
	expect((await lab.held()).at(-1)).toMatchObject({ status: "confirmed", raw: 400n * ETHER });
});

test("a run, and all runs of a day, spend no more than their maxima", async () => {
	const small = openBuybackLab({
		...{ db: database.db, chain, clock: lab.clock },
		env: { BUYBACK_RUN_USD_MAX: 100, BUYBACK_DAY_USD_MAX: 800, BUYBACK_CURRENCIES: ZERO_ADDRESS },
	});
	await chain.earn(2n * ETHER);
	const before = (await chain.burns()).length;
	const turns: string[] = [];
	for (let turn = 0; turn < 3; turn++) {
		await small.nextSlot();
		const { kind, ...more } = await small.run();
		turns.push("refusal" in more ? more.refusal.code : kind);
	}
	// 650 dollars were spent before.
	expect(turns).toEqual(["began", "began", "day_limit"]);
	const spent = (await chain.burns()).slice(before).map((burn) => burn.spent);
	expect(spent).toEqual([ETHER / 25n, ETHER / 50n]);
});

test("a day later what was spent is in the sums, and counts for the day no more", async () => {
	await chain.pass(90_000);
	await lab.nextSlot();
	// Less is left than the release of all that was owed brought.
	expect(await lab.run()).toMatchObject({ kind: "began" });
	const sums = await database.db.query<{ spent: string }>(
		"select spent_raw::text as spent from tokenomics.buyback_spent order by spent_raw desc",
	);
	const spent = ETHER / 10n + ETHER / 25n + ETHER / 50n;
	expect(sums.map((one) => BigInt(one.spent))).toEqual([400n * ETHER, spent]);
	const all = (await chain.burns()).reduce((sum, burn) => sum + burn.spent, 0n);
	const held = (await lab.held()).reduce((sum, { raw }) => sum + raw, 0n);
	expect(held).toBe(all);
});

test("a dry run sends nothing, and holds nothing", async () => {
	await chain.earn(ETHER);
	await lab.nextSlot();
	const nonce = await chain.nonce(chain.who.keeper);
	lab.state.isDryRun = true;
	expect(await lab.run()).toMatchObject({ kind: "began" });
	lab.state.isDryRun = false;
	expect((await lab.held()).at(-1)).toMatchObject({ status: "dry_run", raw: 0n });
	expect(await chain.nonce(chain.who.keeper)).toBe(nonce);
});

test("a worker that slept through another's run begins none by what it had counted", async () => {
	await lab.nextSlot();
	await chain.earn(ETHER);
	// Enough for a second run, of money that is for gas.
	await chain.setBalance(chain.who.keeper, 5n * ETHER);
	const awake = openBuybackLab({ db: database.db, chain, clock: lab.clock });
	const before = (await chain.burns()).length;
	let looks = 0;
	const sleepy = openBuybackLab({
		...{ db: database.db, chain, clock: lab.clock },
		async observe(step, edge) {
			if (step !== "buyback.turn" || edge !== "after") return;
			looks += 1;
			// It knows what it would buy, and sleeps past its slot; the run of the next one is over.
			if (looks !== 2) return;
			await awake.nextSlot();
			expect((await awake.run()).kind).toBe("began");
			expect((await awake.run()).kind).toBe("had");
		},
	});
	expect((await sleepy.turn()).kind).toBe("had");
	await sleepy.settled();
	expect(looks).toBe(2);
	expect(await chain.burns()).toHaveLength(before + 1);
});

test("of workers that come to one slot at once, one run begins", async () => {
	await lab.nextSlot();
	await chain.earn(ETHER);
	const second = openBuybackLab({ db: database.db, chain, clock: lab.clock });
	const count = (await chain.burns()).length;
	const turns = await Promise.all([lab, second, lab, second].map((one) => one.turn()));
	await lab.settled();
	expect(turns.map(({ kind }) => kind).sort()).toEqual(["began", "had", "had", "had"]);
	// Nor does one that comes late to the slot.
	expect(await second.run()).toEqual({ kind: "had" });
	expect(await chain.burns()).toHaveLength(count + 1);
});
