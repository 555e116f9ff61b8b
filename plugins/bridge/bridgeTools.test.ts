import { describe, expect, test } from "bun:test";
import type { BridgeView } from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeTools } from "#plugins/bridge/bridgeTools.ts";

// Guarantee: who asks where their money is reads what is unfinished first, in whole figures.

const tool = (name: string) => {
	const found = bridgeTools({ context: {} as never, bridges: {} as never }).find(
		(one) => one.name === name,
	);
	if (!found) throw new Error("no such tool");
	return found;
};
const bridge = (id: string, more: Partial<BridgeView> = {}) => ({
	...{ id, amount: "all", amountRaw: "1500000", where: `It is on its way to ${id}.` },
	origin: { chain: "base", chainId: 8_453, symbol: "USDG", decimals: 6 },
	...more,
});
const sum = (bridges: number, amount: string, symbol: string, chain = "base") => ({
	...{ bridges, amount, symbol, chain, amountRaw: "1" },
});

describe("the line of a caller's unfinished bridges", () => {
	const line = (unfinished: object[], bridges: object[]) =>
		tool("list_bridges").line({ unfinished, bridges });

	test("the line has the unfinished sums, and then the newest bridge", () => {
		const sums = [sum(2, "12.5", "USDG"), sum(1, "0.1", "ETH", "anvil")];
		expect(line(sums, [bridge("1"), bridge("9", { where: "It arrived on base." })])).toBe(
			"3 bridges are not finished: 12.5 USDG from base, 0.1 ETH from anvil. The newest: It arrived on base.",
		);
	});

	test("the line is one sentence with the exact amount if the only unfinished bridge is the newest", () => {
		expect(line([sum(1, "1.5", "USDG")], [bridge("9"), bridge("1")])).toBe(
			"1.5 USDG: It is on its way to 9.",
		);
		expect(line([], [])).toBe("You have no bridges yet.");
	});

	test("the line never has a figure that is cut", () => {
		const amounts = Array.from({ length: 9 }, (_, n) => sum(1, `${n}23456789.123456789`, `T${n}`));
		const told = line(amounts, [bridge("1"), bridge("9", { where: "It arrived.".repeat(20) })]);
		expect(told).toStartWith(
			"9 bridges are not finished: 023456789.123456789 T0 from base and 8 more currencies.",
		);
		const where = `x; ${"1".repeat(120)}.${"2".repeat(40)} USDG of it arrived`;
		expect(tool("read_bridge").line(bridge("1", { where: where as never }))).toBe("1.5 USDG: x;…");
		expect(told.length).toBeLessThanOrEqual(160);
	});
});
