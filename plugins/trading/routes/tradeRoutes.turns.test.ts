import { beforeAll, expect, test } from "bun:test";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: an exact allowance serves one transaction: trades of one wallet that need the same
// token run one after the other, and none fails because another used its allowance up.

const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
beforeAll(() => {
	({ lab, world } = stocks.open());
});

test("three simultaneous trades are three swaps, each with its quoted amounts", async () => {
	const by = await lab.trader({ account: 1 });
	await world.give(world.addresses.usdg, by.wallet.address as `0x${string}`, 1_000_000_000n);
	const commands = ["TSLA with 50", "TSLA with 20", "GOOGL with 50"];
	const asked = await Promise.all(commands.map((what) => lab.trade(by, `buy ${what} USDG`)));
	expect(asked.map(({ status }) => status)).toEqual([201, 201, 201]);
	const ended = [];
	for (const { body } of asked) ended.push(await lab.settled(by, body.id));
	expect(ended.map(({ status, errorCode }) => ({ status, errorCode }))).toEqual(
		Array(3).fill({ status: "confirmed", errorCode: null }),
	);
	const left = await lab.balance(world.addresses.usdg, by.wallet.address);
	expect(left).toBe(1_000_000_000n - 120_000_000n);
	const swaps = lab.sent.filter(({ to }) => to === world.addresses.router.toLowerCase());
	expect(swaps).toHaveLength(3);
});
