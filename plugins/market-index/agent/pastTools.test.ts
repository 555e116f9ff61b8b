import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { createToolLab } from "#plugins/market-index/agent/testing/createToolLab.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the agent tells figures of a past time only as far as they were kept, prices of one
// token and one trait and no others, and ranks by what it says.

const KILN = contractOf(0x111);
const CATS = contractOf(0x222);

let database: TestDatabase;
let fixture: Fixture;
let lab: ReturnType<typeof createToolLab>;
let id: number;

const named = { collection: "kiln-folk" };
const covered = (fromMs: number | null) =>
	fixture.progress.set(ethereum.id, {
		...{ chainId: ethereum.id, lane: "sale", headBlock: 9, indexedBlock: 9 },
		...{ indexedAtMs: NOW_MS, coveredFromMs: fromMs, coveredUntilMs: fromMs && NOW_MS },
	});

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	fixture.prices.setEth(2_000);
	const sale = (agoMs: number, more: object = {}) =>
		saleOf(KILN, { occurredAtMs: NOW_MS - agoMs, ...more });
	await fixture.seed(ethereum, [
		sale(20 * MINUTE_MS, { tokenId: 5n, totalRaw: 2n * ETH }),
		sale(50 * MINUTE_MS, { tokenId: 6n }),
		sale(DAY_MS, { tokenId: 5n, totalRaw: 3n * ETH }),
		sale(40 * DAY_MS, { tokenId: 7n, totalRaw: 4n * ETH }),
		sale(40 * DAY_MS + HOUR_MS, { tokenId: 7n, totalRaw: 2n * ETH }),
	]);
	const cheap = { totalRaw: ETH / 10n };
	await fixture.seed(
		ethereum,
		[1, 2, 3, 4].map(() => saleOf(CATS, cheap)),
	);
	id = await fixture.idOf(ethereum, KILN);
	const other = await fixture.idOf(ethereum, CATS);
	const set = `update market_index.collection set slug = $2, name = $3, floor_native = $4,
		floor_at = $5 where id = $1`;
	const at = new Date(NOW_MS - MINUTE_MS);
	await database.db.execute(set, [id, "kiln-folk", "Kiln Folk", (ETH / 2n).toString(), at]);
	await database.db.execute(set, [other, "tidal-cats", "Tidal Cats", (ETH / 4n).toString(), at]);
	const seen = (of: number, agoMs: number, native: bigint) =>
		database.db.execute(
			`insert into market_index.floor_snapshot (collection_id, at, floor_native, floor_usd)
			values ($1, $2, $3, 800)`,
			[of, new Date(NOW_MS - agoMs), native.toString()],
		);
	await seen(id, 30 * MINUTE_MS, ETH / 2n);
	await seen(id, DAY_MS + 5 * MINUTE_MS, (ETH * 4n) / 10n);
	await seen(id, DAY_MS + HOUR_MS, (ETH * 3n) / 10n);
	await seen(other, DAY_MS + 5 * MINUTE_MS, ETH);
	await database.db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens, floor_native)
		values ($1, 'Background', 'Gold', 30, 900000000000000000), ($1, 'Hat', 'Gold', 3, null),
			($1, 'Hat', 'Crown', 2, 1500000000000000000), ($1, 'Eyes', 'Laser', 1, null)`,
		[id],
	);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, orders_at, traits_at)
		values ($1, 1, $2, $2)`,
		[id, at],
	);
	await seedOrder(database.db, { collectionId: id, tokenId: 5n, totalRaw: ETH, isPrivate: true });
	await seedOrder(database.db, { collectionId: id, tokenId: 5n, totalRaw: 3n * ETH });
	lab = createToolLab(fixture);
});
afterAll(() => database.drop());

describe("sales in a past period", () => {
	test("the sales are those of its minutes and no others, from whatever tiers they are summed", async () => {
		const told = async (window: string) => {
			const { line } = await lab.tell("read_volume", { ...named, window });
			return line.replace("Kiln Folk (ethereum) ", "");
		};
		expect(await told("30m")).toBe("30m volume 2 ETH, sales 1");
		expect(await told("1h")).toBe("1h volume 3 ETH, sales 2");
		expect(await told("2d")).toBe("2d volume 6 ETH, sales 3");
		expect(await told("60d")).toBe("60d volume 12 ETH, sales 5");
		expect(await told("yesterday-utc")).toBe("2026-03-09 UTC volume 3 ETH, sales 1");
		expect(await told("2026-01")).toBe("2026-01-01 to 2026-01-31 UTC volume 6 ETH, sales 2");
		expect(await told("2025-12")).toBe("2025-12-01 to 2025-12-31 UTC volume 0 ETH, sales 0");
	});

	test("the sales have the paid prices, each with its time", async () => {
		const { line, output } = await lab.tell("read_prices", { ...named, window: "2026-01" });
		expect(line).toBe(
			"Kiln Folk (ethereum) 2026-01-01 to 2026-01-31 UTC average 3 ETH, highest 4 ETH, " +
				"lowest 2 ETH, of 2 sales",
		);
		expect(output).toMatchObject({ from: "2026-01-01T00:00:00.000Z", window: "2026-01" });
		const none = await lab.tell("read_prices", { ...named, window: "2025-12" });
		expect(none.output.average).toMatchObject({ value: null, reason: "nothing" });
	});

	test("the sales are not zero if nothing of that period was read, and the first kept time is named", async () => {
		covered(NOW_MS - 2 * HOUR_MS);
		const unread = await lab.tell("read_volume", { ...named, window: "2025-12" });
		expect(unread.output).toMatchObject({ volume: { value: null }, sales: { value: null } });
		expect(unread.line).toContain("volume not known, sales not known, kept since 2026-03-10 12:37");
		const part = await lab.tell("read_volume", { ...named, window: "3d" });
		expect(part.line).toBe(
			"Kiln Folk (ethereum) 3d volume 6 ETH (in part), sales 3 (in part), " +
				"kept since 2026-03-10 12:37 UTC",
		);
		covered(null);
		const never = await lab.tell("read_volume", { ...named, window: "2025-12" });
		expect(never.output).toMatchObject({ sales: { value: null }, keptFrom: null });
		fixture.progress.delete(ethereum.id);
	});

	test("a period in the future, or an invalid date, is refused", async () => {
		for (const window of ["2026-04", "2026-02-30", "2026-03-11", "9999d"]) {
			await expect(lab.ask("read_volume", { ...named, window })).rejects.toMatchObject({
				code: "validation_error",
				status: 422,
			});
		}
	});
});

describe("a past floor", () => {
	test("the past floor is the one that was recorded then, and no older one", async () => {
		const told = async (when: string) => {
			const { line } = await lab.tell("read_past_floor", { ...named, when });
			return line.replace("Kiln Folk (ethereum) floor ", "");
		};
		expect(await told("24h-ago")).toBe(
			"2026-03-09 14:37 UTC: 0.4 ETH ($800.00), seen 2026-03-09 14:32 UTC",
		);
		expect(await told("yesterday-14:00-utc")).toBe(
			"2026-03-09 14:00 UTC: 0.3 ETH ($800.00), seen 2026-03-09 13:37 UTC",
		);
		expect(await told("yesterday-20:00-utc")).toBe(
			"2026-03-09 20:00 UTC not known, kept since 2026-03-09 13:37 UTC",
		);
		expect(await told("yesterday-utc")).toBe(
			"2026-03-09 UTC since 2026-03-09 13:37 UTC: 0.3 ETH to 0.4 ETH, lowest 0.3 ETH, " +
				"highest 0.4 ETH",
		);
		expect(await told("2026-01")).toContain("not known, kept since");
	});
});

describe("the floor of a trait", () => {
	test("the floor is that of the trait alone, by its value or with its name in any order", async () => {
		for (const trait of ["background gold", "Gold Background", "Background: Gold"]) {
			const { line, asOfMs } = await lab.tell("read_trait_floor", { ...named, trait });
			expect(line).toBe("Kiln Folk (ethereum) floor with Background: Gold 0.9 ETH, 30 have it");
			expect(asOfMs).toBe(NOW_MS - MINUTE_MS);
		}
		const unlisted = await lab.tell("read_trait_floor", { ...named, trait: "laser" });
		expect(unlisted.line).toContain("floor with Eyes: Laser not known, 1 have it");
	});

	test("a value of several traits is asked back, and an unknown one is refused", async () => {
		const asked = await lab.ask("read_trait_floor", { ...named, trait: "gold" });
		expect(asked).toMatchObject({
			kind: "choose",
			slot: "trait",
			choices: [{ value: "Background: Gold" }, { value: "Hat: Gold" }],
		});
		for (const trait of ["gold frame", "crow", "hat"]) {
			await expect(lab.ask("read_trait_floor", { ...named, trait })).rejects.toMatchObject({
				code: "trait_unknown",
				publicDetail: `Kiln Folk has no trait that is called "${trait}".`,
			});
		}
		const other = lab.ask("read_trait_floor", { collection: "tidal-cats", trait: "gold" });
		await expect(other).rejects.toMatchObject({
			publicDetail: "Tidal Cats has no counted traits yet.",
		});
	});
});

describe("one token", () => {
	test("a token has its own last sale and the listing that anybody may fill", async () => {
		await database.db.execute(
			"insert into market_index.token (collection_id, token_id, rank) values ($1, 5, 12), ($1, 9, 1)",
			[id],
		);
		const sold = await lab.tell("read_token", { ...named, token: "5", about: "sale" });
		expect(sold.line).toBe(
			"Kiln Folk (ethereum) #5 last sold 2 ETH 2026-03-10 14:17 UTC, owner not known, rank 12, " +
				"listed 3 ETH ($6,000)",
		);
		expect(sold.output.lastSale).toMatchObject({ priceNative: 2, priceUsd: 4_000 });
		const listed = await lab.tell("read_token", { ...named, token: "5", about: "listing" });
		expect(listed.line).toStartWith("Kiln Folk (ethereum) #5 listed 3 ETH ($6,000), owner");
		expect(listed.asOfMs).toBe(NOW_MS - MINUTE_MS);
		covered(NOW_MS - DAY_MS);
		const unsold = await lab.tell("read_token", { ...named, token: "9", about: "sale" });
		expect(unsold.output).toMatchObject({ lastSale: null, listing: null });
		expect(unsold.line).toContain("#9 no sale known since 2026-03-09 14:37 UTC");
		expect(unsold.line).toContain("not listed");
		fixture.progress.delete(ethereum.id);
	});
});

describe("two collections", () => {
	const told = async (by: string, more: object = {}) => {
		const input = { ...named, other: "tidal-cats", by, ...more };
		return (await lab.tell("read_comparison", input)).line;
	};

	test("each figure is that of its collection, in the order in which they were named", async () => {
		expect(await told("floor")).toBe("Floor: Kiln Folk 0.5 ETH, Tidal Cats 0.25 ETH");
		expect(await told("sales")).toBe("Sales 24h: Kiln Folk 3, Tidal Cats 4");
		expect(await told("volume", { window: "60d" })).toBe(
			"Volume 60d: Kiln Folk 12 ETH, Tidal Cats 0.4 ETH",
		);
		expect(await told("holders")).toBe("Owners: Kiln Folk not known, Tidal Cats not known");
	});

	test("a change needs a floor that was seen near both ends of its time", async () => {
		expect(await told("floor_change")).toBe(
			"Floor change 24h: Kiln Folk +25 %, Tidal Cats not known",
		);
		expect(await told("floor_change", { window: "7d" })).toBe(
			"Floor change 7d: Kiln Folk not known, Tidal Cats not known",
		);
	});

	test("a name that nobody has is refused, also as the second", async () => {
		await expect(told("floor", { other: "moon foxes" })).rejects.toMatchObject({
			code: "not_found",
		});
	});
});

describe("rankings", () => {
	const first = async (by: string, more: object = {}) => {
		const { output, line } = await lab.tell("read_trending", { by, chain: "ethereum", ...more });
		return { slugs: output.rows.map(({ slug }: { slug: string }) => slug), line };
	};

	test("rankings are by the requested figure: sales, volume, or the change of the floor", async () => {
		expect((await first("sales")).slugs).toEqual(["tidal-cats", "kiln-folk"]);
		const volume = await first("volume");
		expect(volume.slugs).toEqual(["kiln-folk", "tidal-cats"]);
		expect(volume.line).toStartWith("Most volume 24h: Kiln Folk (ethereum) ");
		const gainers = await first("gainers");
		expect(gainers.slugs).toEqual(["kiln-folk"]);
		expect(gainers.line).toBe("Floors up most 24h: Kiln Folk (ethereum) +25 % to 0.5 ETH");
		const losers = await first("losers");
		expect(losers.line).toBe("Floors down most 24h: Tidal Cats (ethereum) −75 % to 0.25 ETH");
	});

	test("rankings leave out a floor that was not recorded at that time", async () => {
		expect((await first("gainers", { window: "7d" })).line).toBe(
			"Floors up most 7d: nothing known",
		);
		expect((await first("losers", { chain: "base" })).slugs).toEqual([]);
	});
});
