import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSeasonCount, seasonOf } from "#plugins/tokenomics/league.ts";
import type { SettledTrade } from "#plugins/trading/contract.ts";

const ASSET = `0x${"a1".repeat(20)}` as const;
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 1);

type Given = [minute: number, side: "buy" | "sell", usd: number, who?: string, asset?: string];

function count(given: readonly Given[]) {
	const season = createSeasonCount();
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
		left: Number(leftOutUsdMicros) / 1_000_000,
		volumes: traders.map(({ profileId, usdMicros }) => [profileId, Number(usdMicros) / 1_000_000]),
	};
}

test("adds up what traders settled, who has most first", () => {
	const given: Given[] = [
		[0, "buy", 10],
		[1, "buy", 30, "bob"],
		[2, "sell", 5, "cy"],
		[70, "buy", 15],
	];
	expect(count(given)).toEqual({
		volumes: [
			["bob", 30],
			["ada", 25],
			["cy", 5],
		],
		left: 0,
	});
});

test("of equal volumes the one that was there first stands first", () => {
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

test("who came first to a volume is by the last trade of all assets", () => {
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

describe("a round trip within an hour counts on neither side:", () => {
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
			"an hour later it is another trade",
			[
				[0, "buy", 100],
				[60, "sell", 100],
			],
			200,
		],
		[
			"of two buys the first is turned back",
			[
				[0, "buy", 7],
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

test("less than a dollar counts nothing, however often", () => {
	const given = Array.from({ length: 50 }, (_, at): Given => [at * 61, "buy", 0.99]);
	expect(count(given)).toEqual({ volumes: [], left: 49.5 });
});

test("whatever is traded: nothing is counted twice or lost, and no trader below zero", () => {
	const trade = fc.tuple(
		fc.integer({ min: 0, max: 90 }),
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

test("a season is a month of the calendar, UTC", () => {
	const season = seasonOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999));
	expect(season).toEqual({ name: "2026-12", fromMs: Date.UTC(2026, 11), toMs: Date.UTC(2027, 0) });
	expect(seasonOf(season.toMs).name).toBe("2027-01");
});
