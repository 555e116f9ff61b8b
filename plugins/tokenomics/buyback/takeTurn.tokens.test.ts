import { afterAll, beforeAll, expect, test } from "bun:test";
import { MODES, type Mode } from "#plugins/tokenomics/testing/openRouterLab.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a token that refuses, keeps or burns a part, or says another amount than it moves, is
// not bought, and one that revenue came in is not spent: a run ends with a code and nothing burned.

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
	["false", /pool_empty|simulation_failed/],
	["idle", /pool_empty|simulation_failed/],
	["fee", /simulation_failed|pool_empty/],
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

test("a token that keeps less than the slippage is noticed before it is bought", async () => {
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

test("the same token, once it behaves, is bought and burned", async () => {
	const lab = openBuybackLab({ db: database.db, chain, clock });
	await lab.nextSlot();
	expect(await lab.run()).toMatchObject({ kind: "began" });
	expect((await last(lab))?.status).toBe("confirmed");
	expect(await chain.burns()).toHaveLength(1);
});

test.each(["false", "idle", "fee", "greedy"] as const)(
	"revenue in a token that is %s buys nothing, and nothing of it is counted as spent",
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
