import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Anvil } from "#test/harness/anvil.ts";
import {
	openTradeLab,
	registerStocks,
	startStockChain,
	type TradeLab,
	type Trader,
} from "#test/harness/openTradeLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: wherever a process ends between a trade's two steps, the next one finishes it: one
// allowance and one swap or neither, what was spent is what is held, and nothing is left allowed.

let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});

const SPENT = 50_000_000n;
const STEPS = [
	"trade.funds",
	"trade.simulation",
	"trade.record",
	"commit.first",
	"allowance.read",
	"custody.send",
	"trade.quote",
] as const;
const open = (more: Partial<Parameters<typeof openTradeLab>[0]> = {}) =>
	openTradeLab({ db: database.db, anvil, world, ...more });

async function nonceOf({ wallet }: Trader): Promise<number> {
	return Number(await anvil.rpc("eth_getTransactionCount", [wallet.address, "latest"]));
}

let deaths = 0;

/** A lab that is gone at the first time it comes by this edge: from then on it does nothing. */
function mortal(at: string): TradeLab & { hasDied(): boolean } {
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

/** Of the fourteen edges, those between a decision and what is known of its payment. */
const EDGES_IN_TEST = [
	"trade.record:after",
	"commit.first:after",
	"allowance.read:before",
	"custody.send:before",
	"custody.send:after",
];
const isProving = process.env["PROVE"] === "1";
const edges = STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]);
const killed = isProving ? edges : EDGES_IN_TEST;

test.each(killed.map((edge, index) => [edge, index] as const))(
	"a process that ends at %s leaves a trade that the next one finishes once",
	async (edge, index) => {
		const first = mortal(edge);
		const by = await first.trader({ account: 1 + (index % 9) });
		const wallet = by.wallet.address;
		const usdg = world.addresses.usdg;
		await world.give(usdg, wallet, SPENT * 2n);
		const before = await first.balance(usdg, wallet);
		const nonce = await nonceOf(by);
		await first.trade(by, "buy TSLA with 50 USDG").catch(() => null);
		for (let turn = 0; turn < 4 && !first.hasDied(); turn++) {
			// The allowance takes its time: the quote grows old, and is made anew.
			await first.tick(31_000).catch(() => null);
		}
		expect(first.hasDied()).toBe(true);
		const second = open();
		second.clock.ms = first.clock.ms + 30_000;
		const { body } = await second.ask("/v1/trading/intents", { by });
		expect(body.data).toHaveLength(1);
		const trade = await second.settled(by, body.data[0].id);
		// What was perhaps handed over, and was not, is never sent by somebody else: then it is over.
		const isLost = edge === "custody.send:before";
		expect(trade).toMatchObject({
			...{ leftover: null, status: isLost ? "rejected" : "confirmed" },
			errorCode: isLost ? "previous_step_failed" : null,
		});
		const spent = isLost ? 0n : SPENT;
		expect(before - (await second.balance(usdg, wallet))).toBe(spent);
		expect((await nonceOf(by)) - nonce).toBe(isLost ? 0 : 2);
		const [held] = await second.execution.held(database.db, [trade.intentId]);
		expect(held?.raw).toBe(spent);
	},
);
