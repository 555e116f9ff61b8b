import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	purchaseSteps,
	releaseSteps,
	turnSteps,
} from "#plugins/tokenomics/buyback/buybackSteps.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: wherever a process ends in a run, the next one finds out what became of it and goes
// on; what revenue earned for burning is spent once, and the spend ledger holds what was spent.

const ETHER = 10n ** 18n;

let database: TestDatabase;
let chain: BurnChain;
const shared = { clock: { ms: 0 }, traces: new Map() };
beforeAll(async () => {
	[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
	const { token, usd } = chain.addresses;
	const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
	await chain.openPool({ tokenIn: usd, token, fee: 3000, ...dollars, observations: 300 });
	await chain.pass(4_000);
});
afterAll(async () => {
	await chain?.anvil.stop();
	await database?.drop();
});

const STEPS = [
	...turnSteps,
	...purchaseSteps,
	...releaseSteps,
	...(["commit.first", "allowance.read", "commit.decide", "custody.send"] as const),
];
const EARNED = 20n * ETHER;

const open = (more: Partial<Parameters<typeof openBuybackLab>[0]> = {}) =>
	openBuybackLab({ db: database.db, chain, ...shared, ...more });

let deaths = 0;

/** A process that is gone at the first time it comes by this edge: from then on it does nothing. */
function mortal(at: string): BuybackLab & { hasDied(): boolean } {
	let isDead = false;
	deaths += 1;
	const lab = open({
		session: `gone ${deaths}`,
		async observe(step, edge) {
			isDead ||= `${step}:${edge}` === at;
			if (isDead) throw new Error("the process is gone");
		},
	});
	return { ...lab, hasDied: () => isDead };
}

const spentIn = async () => (await chain.burns()).reduce((sum, { spent }) => sum + spent, 0n);

test.each(STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]))(
	"a process that ends at %s leaves a run that is finished, or begun anew, once",
	async (edge) => {
		const before = await spentIn();
		await chain.earn(5n * EARNED, chain.addresses.usd);
		const first = mortal(edge);
		await first.nextSlot();
		await first.turn().catch(() => null);
		for (let turn = 0; turn < 12 && !first.hasDied(); turn++) {
			await first.tick(10).catch(() => null);
		}
		expect(first.hasDied()).toBe(true);
		const second = open();
		await second.tick(31);
		await second.settled();
		const once = (await spentIn()) - before;
		expect([0n, EARNED]).toContain(once);
		await second.nextSlot();
		expect((await second.run()).kind).toBe(once === 0n ? "began" : "refused");
		expect((await spentIn()) - before).toBe(EARNED);
		const held = (await second.held()).reduce((sum, { raw }) => sum + raw, 0n);
		expect(held).toBe(await spentIn());
		expect(await chain.balance(chain.addresses.usd, chain.who.keeper)).toBe(0n);
	},
);

test("a purchase of which nobody knows whether it was sent stops the next run, and is not repeated", async () => {
	const before = (await chain.burns()).length;
	await chain.earn(5n * EARNED, chain.addresses.usd);
	const lab = open();
	await lab.nextSlot();
	lab.state.afterSend = async () => {
		const isPurchase = lab.sent.at(-1)?.to === chain.addresses.burner;
		lab.state.answer = isPurchase ? { kind: "unknown", detail: "a time-out" } : null;
	};
	await lab.turn();
	for (let turn = 0; turn < 12 && lab.state.answer === null; turn++) await lab.tick();
	expect((await lab.intents()).at(-1)).toBeDefined();
	await chain.earn(5n * EARNED, chain.addresses.usd);
	await lab.nextSlot();
	const turn = await lab.turn();
	expect(turn).toMatchObject({ kind: "refused", refusal: { code: "previous_uncertain" } });
	expect((await lab.status()).code).toBe("previous_uncertain");
	lab.state.afterSend = async () => {};
	lab.state.answer = null;
	await lab.settled();
	expect(await chain.burns()).toHaveLength(before + 1);
	await lab.nextSlot();
	expect((await lab.run()).kind).toBe("began");
	expect(await chain.burns()).toHaveLength(before + 2);
});
