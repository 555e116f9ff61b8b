import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSeasonCount, seasonOf } from "#plugins/tokenomics/league.ts";
import type { SettledTrade } from "#plugins/trading/contract.ts";

const ASSET = `0x${"a1".repeat(20)}` as const;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 1);

type Given = [minute: number, side: "buy" | "sell", usd: number, who?: string, asset?: string];

function count(given: readonly Given[], span?: Parameters<typeof createSeasonCount>[0]) {
	const season = createSeasonCount(span);
	for (const [index, [minute, side, usd, who = "ada", asset = ASSET]] of given.entries()) {
		const trade: SettledTrade = {
			...{ id: String(index).padStart(6, "0"), profileId: who, walletId: null, intentId: "i" },
			createdAt: new Date(START + minute * MINUTE_MS),
			...{ side, asset: asset as SettledTrade["asset"] },
			usdMicros: BigInt(Math.round(usd * 1_000_000)),
		};
		season.add(trade);
	}
	const { traders, leftOutUsdMicros } = season.end();
	return {
		traded: traders.map(({ profileId, tradedUsdMicros }) => [
			...[profileId, Number(tradedUsdMicros) / 1_000_000],
		]),
		left: Number(leftOutUsdMicros) / 1_000_000,
		volumes: traders.map(({ profileId, usdMicros }) => [profileId, Number(usdMicros) / 1_000_000]),
	};
}

test("the league adds up the settled trades of each trader, the largest sum first", () => {
	const given: Given[] = [
		[0, "buy", 10],
		[1, "buy", 30, "bob"],
		[2, "sell", 5, "cy"],
		[70, "buy", 15],
	];
	expect(count(given)).toMatchObject({
		volumes: [
			["bob", 30],
			["ada", 25],
			["cy", 5],
		],
		left: 0,
	});
});

test("of traders with an equal volume the one who reached it first is ranked first", () => {
	expect(
		count([
			[0, "buy", 9, "bob"],
			[1, "buy", 9, "ada"],
		]).volumes,
	).toEqual([
		["bob", 9],
		["ada", 9],
	]);
});

test("the time of reaching a volume is that of the last trade in any asset", () => {
	const other = `0x${"b2".repeat(20)}`;
	expect(
		count([
			[0, "buy", 5, "ada", other],
			[1, "buy", 5, "ada"],
			[2, "buy", 10, "bob"],
			[3, "buy", 5, "cy"],
			[4, "buy", 5, "cy", other],
			[5, "buy", 5, "ada", other],
			[6, "buy", 5, "bob", other],
			[7, "buy", 5, "cy"],
		]).volumes,
	).toEqual([
		["ada", 15],
		["bob", 15],
		["cy", 15],
	]);
});

describe("a round trip within an hour counts zero on both sides:", () => {
	const cases: [what: string, given: Given[], counted: number][] = [
		[
			"bought and sold again",
			[
				[0, "buy", 100],
				[59, "sell", 100],
			],
			0,
		],
		[
			"sold and bought again",
			[
				[0, "sell", 100],
				[1, "buy", 100],
			],
			0,
		],
		[
			"what stays open of it counts",
			[
				[0, "buy", 100],
				[5, "sell", 60],
			],
			40,
		],
		[
			"what is more on the way back counts",
			[
				[0, "buy", 60],
				[5, "sell", 100],
			],
			40,
		],
		[
			"in many small parts",
			[
				[0, "buy", 9],
				[1, "sell", 3],
				[2, "sell", 3],
				[3, "sell", 3],
			],
			0,
		],
		[
			"there and back many times",
			[
				[0, "buy", 9],
				[1, "sell", 9],
				[2, "buy", 9],
				[3, "sell", 9],
			],
			0,
		],
		[
			"of two buys the first is turned back",
			[
				[10, "buy", 7],
				[30, "buy", 7],
				[61, "sell", 7],
			],
			7,
		],
		[
			"twice the same way is no round trip",
			[
				[0, "buy", 7],
				[1, "buy", 7],
			],
			14,
		],
		[
			"another asset is another trade",
			[
				[0, "buy", 7],
				[1, "sell", 7, "ada", "0xb2"],
			],
			14,
		],
		[
			"another trader is another trade",
			[
				[0, "buy", 7],
				[1, "sell", 7, "bob"],
			],
			14,
		],
	];
	for (const [what, given, counted] of cases) {
		test(what, () => {
			const { volumes, left } = count(given);
			const sum = volumes.reduce((all, [, usd]) => all + Number(usd), 0);
			expect(sum).toBe(counted);
			expect(sum + left).toBe(given.reduce((all, [, , usd]) => all + usd, 0));
		});
	}
});

describe("a trade that is later reversed counts by the time for which it was held, on both sides:", () => {
	const DAY = 1_440;
	const cases: [what: string, given: Given[], counted: number][] = [
		[
			"after 61 minutes next to nothing",
			[
				[0, "buy", 10_080],
				[61, "sell", 10_080],
			],
			122,
		],
		[
			"after a day a seventh",
			[
				[0, "buy", 70],
				[DAY, "sell", 70],
			],
			20,
		],
		[
			"a resale after six days most of it",
			[
				[0, "buy", 70],
				[6 * DAY, "sell", 70],
			],
			120,
		],
		[
			"a resale after seven days all of it",
			[
				[0, "buy", 70],
				[7 * DAY, "sell", 70],
			],
			140,
		],
		[
			"the oldest is turned back first, and each part by its own time",
			[
				[0, "buy", 70],
				[3 * DAY, "buy", 70],
				[6 * DAY, "sell", 140],
			],
			180,
		],
		[
			"what is not turned back counts beside it",
			[
				[0, "buy", 140],
				[DAY, "sell", 70],
			],
			90,
		],
	];
	for (const [what, given, counted] of cases) {
		test(what, () => {
			const { volumes, left, traded } = count(given);
			const all = given.reduce((sum, [, , usd]) => sum + usd, 0);
			expect(volumes).toEqual([["ada", counted]]);
			expect(traded).toEqual([["ada", all]]);
			expect(left + counted).toBe(all);
		});
	}
});

test("money that is traded back and forth every 61 minutes counts in a week no more than once", () => {
	const often: Given[] = [];
	for (let minute = 0; minute + 61 <= 7 * 1_440; minute += 61) {
		const side = often.length % 2 === 0 ? "buy" : "sell";
		often.push([minute, side, 100]);
	}
	const [[, counted] = ["", 0]] = count(often).volumes;
	const once = count([
		[0, "buy", 100],
		[7 * 1_440, "sell", 100],
	]).volumes[0]?.[1];
	expect(often.length).toBeGreaterThan(160);
	expect(Number(counted)).toBeLessThanOrEqual(Number(once));
});

test("wallets of one profile are one trader: a buy by one and a sale by another are a round trip", () => {
	const season = createSeasonCount();
	const sides = [
		["w1", "buy"],
		["w2", "sell"],
	] as const;
	for (const [index, [walletId, side]] of sides.entries()) {
		season.add({
			...{ id: String(index), profileId: "ada", walletId, intentId: "i", side, asset: ASSET },
			...{ createdAt: new Date(START + index * MINUTE_MS), usdMicros: 100_000_000n },
		});
	}
	expect(season.end()).toEqual({ traders: [], leftOutUsdMicros: 200_000_000n });
});

test("a trade that is reversed after the end of a season is reversed in both seasons", () => {
	const november = seasonOf(START);
	const given: Given[] = [
		[30 * 1_440 - 5, "buy", 100],
		[30 * 1_440 + 5, "sell", 60],
	];
	expect(count(given, november)).toEqual({
		...{ volumes: [["ada", 40]], traded: [["ada", 100]], left: 60 },
	});
	expect(count(given, seasonOf(november.toMs))).toEqual({ volumes: [], traded: [], left: 60 });
});

test("trades of less than a dollar do not count, however many", () => {
	const given = Array.from({ length: 50 }, (_, at): Given => [at * 61, "buy", 0.99]);
	expect(count(given)).toEqual({ volumes: [], traded: [], left: 49.5 });
});

test("a sale in parts of less than a dollar still reverses the buy", () => {
	const parts = Array.from({ length: 100 }, (_, at): Given => [1 + at / 10, "sell", 0.99]);
	expect(count([[0, "buy", 100], ...parts])).toMatchObject({ volumes: [["ada", 1]] });
});

test("no trade is counted twice or lost, and no trader has a negative volume", () => {
	const trade = fc.tuple(
		fc.integer({ min: 0, max: 4_000 }),
		fc.constantFrom("buy" as const, "sell" as const),
		fc.integer({ min: 1, max: 1_000 }),
		fc.constantFrom("ada", "bob"),
		fc.constantFrom("0xa1", "0xb2"),
	);
	fc.assert(
		fc.property(fc.array(trade, { maxLength: 60 }), (steps) => {
			let minute = 0;
			const given = steps.map(([more, ...rest]): Given => {
				minute += more;
				return [minute, ...rest];
			});
			const { volumes, left } = count(given);
			const all = given.reduce((sum, [, , usd]) => sum + usd, 0);
			expect(volumes.reduce((sum, [, usd]) => sum + Number(usd), left)).toBeCloseTo(all, 6);
			for (const [, usd] of volumes) expect(Number(usd)).toBeGreaterThan(0);
		}),
		{ seed: 7, numRuns: 300 },
	);
});

test("a season is a calendar month in UTC", () => {
	const season = seasonOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999));
	expect(season).toEqual({ name: "2026-12", fromMs: Date.UTC(2026, 11), toMs: Date.UTC(2027, 0) });
	expect(seasonOf(season.toMs).name).toBe("2027-01");
});
