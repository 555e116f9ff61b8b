import { expect, test } from "bun:test";
import { createRevenue, TAPE_USD, tapeUsdAt } from "./describeEconomy.ts";

const START_S = 1_800_000_000;

test("coins are paid every 20 s and dollars each minute; after an hour a tenth as often", async () => {
	const state = { nowS: START_S };
	const told = { coins: 0, dollars: 0, moves: 0 };
	const revenue = createRevenue({
		economy: {
			payCoins: async () => void told.coins++,
			payDollars: async () => void told.dollars++,
			movePrice: async () => void told.moves++,
		},
		ethUsdAt: () => 2_500,
		nowMs: () => state.nowS * 1_000,
	});
	for (; state.nowS < START_S + 600; state.nowS += 1) await revenue.tick();
	expect(told).toEqual({ coins: 30, dollars: 10, moves: 10 });
	state.nowS = START_S + 3_700;
	await revenue.tick();
	expect(told).toEqual({ coins: 31, dollars: 11, moves: 11 });
	for (; state.nowS < START_S + 4_899; state.nowS += 1) await revenue.tick();
	expect(told).toEqual({ coins: 36, dollars: 12, moves: 12 });
});

test("the token's price stays near its centre, and moves less than 0.6 % in ten minutes", () => {
	for (let atS = START_S; atS < START_S + 14_400; atS += 600) {
		const [now, later] = [tapeUsdAt(atS), tapeUsdAt(atS + 600)];
		expect(Math.abs(now / TAPE_USD - 1)).toBeLessThan(0.0201);
		expect(Math.abs(later / now - 1)).toBeLessThan(0.006);
	}
});
