import { expect, test } from "bun:test";
import { type ChainFigures, differencesOf } from "#test/bench/peers/measureIndexer.ts";

const chain: ChainFigures = {
	...{ mints: "60", units: "70", paid: "5000", sales: "20", volume: "900" },
	...{ collections: "3", candles: "4", opened: "5", highest: "9", lowest: "2", closed: "6" },
};
const { mints, paid, sales, volume } = chain;

test("an index with the chain's counts and sums is correct, whatever else it omits", () => {
	expect(differencesOf({ mints, paid, sales, volume }, chain)).toEqual([]);
	expect(differencesOf({ ...chain, counted_sales: "20" }, chain)).toEqual([]);
});

test("a missing row, an empty sum and a differing figure are each reported", () => {
	const found = { mints: "59", paid: null, sales, volume, counted_in_candles_sales: "21" };
	expect(differencesOf(found, chain)).toEqual([
		"mints is 59, on the chain 60",
		"paid is null, on the chain 5000",
		"counted_in_candles_sales is 21, on the chain 20",
	]);
});

test("an index that does not report each of its figures is wrong", () => {
	expect(differencesOf({ mints, sales }, chain)).toEqual([
		"paid was not added up",
		"volume was not added up",
	]);
	expect(differencesOf({ mints, paid, sales, volume, elsewhere: "1" }, chain)).toHaveLength(1);
});
