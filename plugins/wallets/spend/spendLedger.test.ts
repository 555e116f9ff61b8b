import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS } from "#core/time.ts";
import { knowRecipients } from "#plugins/wallets/execution/readSituation.ts";
import { insertIntents } from "#plugins/wallets/intent/intentRow.ts";
import { followSpend, type SpendMove } from "#plugins/wallets/spend/spend.ts";
import { insertPerson, type Person } from "#plugins/wallets/testing/insertPerson.ts";
import { readSpentToday } from "#plugins/wallets/testing/readSpentToday.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what was reserved is open, spent or given back, each once, to the unit.

const NOW_MS = Date.UTC(2026, 10, 21, 12);
let database: TestDatabase;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	by = await insertPerson(database.db, { chainId: 1, nowMs: NOW_MS });
});

const NO_LIMIT = { burst: 1_000_000, perSecond: 1, refusedCost: 0 };

async function reserve(usdMicros: bigint, atMs = NOW_MS): Promise<string> {
	const { profile, wallet } = by;
	const id = Bun.randomUUIDv7();
	const at = new Date(atMs);
	const intent = { id, kind: "pay", profile, wallet, chainId: 1, channel: "api" as const };
	await database.db.transaction(async (tx) => {
		const whole = { ...intent, request: {}, settings: {}, afterId: null };
		const made = { intents: [whole], times: { at, expiresAt: at } };
		await insertIntents(tx, made, { profileId: profile.id, at, amount: 1, quota: NO_LIMIT });
		await tx.execute(
			`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind, chain_id, currency,
				amount_raw, usd_micros, at)
			select id, profile_id, wallet_id, 'reserve', chain_id, $2, $3, $4, $5
			from wallets.intent where id = $1`,
			[id, new Uint8Array(20), 2n ** 255n, usdMicros, at],
		);
	});
	return id;
}

const follow = (intentId: string, move: SpendMove) =>
	database.db.transaction((tx) => followSpend(tx, { intentId, move, at: new Date(NOW_MS) }));

const spent = (since = NOW_MS - DAY_MS) =>
	readSpentToday(database.db, { profileId: by.profile.id, since: new Date(since) });

async function kindsOf(intentId: string): Promise<string[]> {
	const rows = await database.db.query<{ kind: string; amount: string }>(
		"select kind, amount_raw::text as amount from wallets.spend_entry where intent_id = $1 order by id",
		[intentId],
	);
	for (const { amount } of rows) expect(amount).toBe(String(2n ** 255n));
	return rows.map(({ kind }) => kind);
}

test("a repeated ledger move is written once, and an invalid one is not written", async () => {
	const id = await reserve(5n);
	for (const move of ["unspend", "unrelease", "spend", "spend", "release"] as const) {
		await follow(id, move);
	}
	expect(await kindsOf(id)).toEqual(["reserve", "spend"]);
	for (const move of ["unspend", "unspend", "release", "release", "spend", "unrelease"] as const) {
		await follow(id, move);
	}
	expect(await kindsOf(id)).toEqual(["reserve", "spend", "unspend", "release", "unrelease"]);
});

test("an amount is open, spent or released, and never two of these, in any order of moves", async () => {
	const moves = fc.array(fc.constantFrom<SpendMove>("spend", "release", "unspend", "unrelease"), {
		minLength: 1,
		maxLength: 8,
	});
	for (const told of fc.sample(moves, { numRuns: 12, seed: 7 })) {
		const id = await reserve(1n);
		for (const move of told) {
			await follow(id, move);
			const kinds = await kindsOf(id);
			const count = (kind: string) => kinds.filter((one) => one === kind).length;
			const isSpent = count("spend") - count("unspend");
			const isReleased = count("release") - count("unrelease");
			expect([0, 1]).toContain(isSpent);
			expect([0, 1]).toContain(isReleased);
			expect(isSpent + isReleased).toBeLessThanOrEqual(1);
		}
	}
});

test("a move without a reservation writes nothing", async () => {
	const id = await reserve(5n);
	await database.db.execute("delete from wallets.spend_entry");
	for (const move of ["spend", "release"] as const) await follow(id, move);
	expect(await kindsOf(id)).toEqual([]);
});

test("a day's sum includes reserved and spent amounts, and not released ones", async () => {
	const [one, two, three] = [await reserve(1n), await reserve(20n), await reserve(300n)];
	expect(await spent()).toBe(321n);
	await follow(one, "spend");
	await follow(two, "release");
	expect(await spent()).toBe(301n);
	await follow(two, "unrelease");
	expect(await spent()).toBe(321n);
	await follow(three, "release");
	expect(await spent()).toBe(21n);
});

test("a reservation older than a day no longer counts, whenever it was released", async () => {
	const old = await reserve(1_000n, NOW_MS - DAY_MS - 1);
	await reserve(5n, NOW_MS - DAY_MS);
	expect(await spent()).toBe(5n);
	await follow(old, "release");
	expect(await spent()).toBe(5n);
	const late = await reserve(1_000n, NOW_MS - DAY_MS - 1);
	for (const move of ["spend", "unspend", "release", "unrelease"] as const) {
		await follow(late, move);
		expect(await spent()).toBe(5n);
	}
});

test("another profile's spends are not counted", async () => {
	await reserve(7n);
	by = await insertPerson(database.db, { chainId: 1, nowMs: NOW_MS });
	expect(await spent()).toBe(0n);
});

test("a recipient is known after the first payment, separately for each profile", async () => {
	const recipient = `0x${"a1".repeat(20)}` as const;
	const knowAll = (recipients: readonly (Address | null)[], atMs: number, profileId: string) =>
		database.db.transaction((tx) =>
			knowRecipients(tx, { profileId, recipients, at: new Date(atMs) }),
		);
	const know = async (atMs: number, profileId = by.profile.id) =>
		(await knowAll([recipient], atMs, profileId))[0];
	expect(await know(NOW_MS)).toBe(0);
	expect(await know(NOW_MS + 5_000)).toBe(5_000);
	expect(await know(NOW_MS + 60_000)).toBe(60_000);
	const other = await insertPerson(database.db, { chainId: 1, nowMs: NOW_MS });
	expect(await know(NOW_MS + 60_000, other.profile.id)).toBe(0);
	const both = await Promise.all([know(NOW_MS + 70_000), know(NOW_MS + 70_000)]);
	expect(both).toEqual([70_000, 70_000]);
	const never = `0x${"b2".repeat(20)}` as const;
	const some = [never, null, recipient, never];
	expect(await knowAll(some, NOW_MS + 80_000, by.profile.id)).toEqual([0, null, 80_000, 0]);
	expect(await knowAll([null], NOW_MS, by.profile.id)).toEqual([null]);
});

test("the ledger accepts no negative amount, no invalid number, and no unknown move", async () => {
	const intentId = await reserve(1n);
	for (const [wrong, value] of [
		["amount_raw", "-1"],
		["amount_raw", "NaN"],
		["amount_raw", "1e78"],
		["usd_micros", "-1"],
		["currency", "\\x00"],
		["kind", "gift"],
	] as const) {
		const change = database.db.execute(
			`update wallets.spend_entry set ${wrong} = $2 where intent_id = $1`,
			[intentId, value],
		);
		await expect(change).rejects.toThrow(/violates check|overflow/);
	}
});
