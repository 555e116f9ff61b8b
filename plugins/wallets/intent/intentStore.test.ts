import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import {
	insertIntents,
	intentRow,
	listIntents,
	readBatch,
	readIntents,
	readTogether,
	storePlan,
} from "#plugins/wallets/intent/intentRow.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { hashPlan } from "#plugins/wallets/plan.ts";
import { insertPerson, type Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: an intent is stored as it was asked for, and its status moves as its machine says.

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const at = new Date(NOW_MS);
let database: TestDatabase;
let by: Person;
const NO_LIMIT = { burst: 1_000_000, perSecond: 1, refusedCost: 0 };

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	by = await insertPerson(database.db, { chainId: 1, nowMs: NOW_MS });
});

async function insert(
	count: number,
	more: { batchId?: string; kind?: string; atMs?: number } = {},
) {
	const { profile, wallet } = by;
	const { kind = "pay", atMs = NOW_MS, ...rest } = more;
	const intents = Array.from({ length: count }, (_, index) => {
		const request = { place: index, text: 'quotes " and \\ stay' };
		const settings = { revision: 1 };
		const id = Bun.randomUUIDv7();
		return {
			id,
			kind,
			profile,
			wallet,
			chainId: 1,
			channel: "api" as const,
			request,
			settings,
			afterId: null,
			...rest,
		};
	});
	const at = new Date(atMs);
	const made = await database.db.transaction((tx) =>
		insertIntents(
			tx,
			{ intents, times: { at, expiresAt: new Date(atMs + 1_000) } },
			{ profileId: profile.id, at, amount: intents.length, quota: NO_LIMIT },
		),
	);
	// What is told of them is what is stored, though it is not read back.
	expect(made).toEqual(
		await readIntents(
			database.db,
			intents.map(({ id }) => id),
		),
	);
	return intents.map(({ id }) => id);
}

const move = (
	intentId: string,
	event: Parameters<typeof moveIntent>[1]["event"],
	detail?: string,
) =>
	database.db.transaction((tx) =>
		moveIntent(tx, { intentId, event, at, errorCode: "a_code", detail: detail ?? null }),
	);

const plan: Plan = {
	chainId: 1,
	from: `0x${"1".repeat(40)}`,
	to: `0x${"2".repeat(40)}`,
	valueRaw: 2n ** 255n,
	data: "0x1234",
	spend: { currency: `0x${"0".repeat(40)}`, raw: 2n ** 255n, decimals: 18, symbol: "ETH" },
	recipient: null,
	shown: { summary: "pays" },
	expiresAtMs: NOW_MS,
};

test("stored intents are read back unchanged, in the requested order", async () => {
	const batchId = Bun.randomUUIDv7();
	const ids = await insert(3, { batchId });
	const turned = [...ids].reverse();
	const read = await readIntents(database.db, [...turned, crypto.randomUUID()]);
	expect(read.map(({ id }) => id)).toEqual(turned);
	expect(read[2]).toEqual({
		id: ids[0] ?? "",
		kind: "pay",
		profileId: by.profile.id,
		walletId: by.wallet.id,
		chainId: 1,
		channel: "api",
		status: "created",
		errorCode: null,
		error: null,
		request: { place: 0, text: 'quotes " and \\ stay' },
		plan: null,
		planHash: null,
		batchId,
		transactionHash: null,
		cancellation: null,
		asks: false,
		afterId: null,
		looksPaid: null,
		createdAtMs: NOW_MS,
		changedAtMs: NOW_MS,
		expiresAtMs: NOW_MS + 1_000,
	});
	expect(intentRow.columns).toContain("transaction_hash");
});

test("a plan is stored exactly, with its hash, and may have an expiry of its confirmation", async () => {
	const [intentId = ""] = await insert(1);
	const expiresAt = new Date(NOW_MS + 600_000);
	await database.db.transaction((tx) => storePlan(tx, { intentId, plan, expiresAt }));
	const [intent] = await readIntents(database.db, [intentId]);
	expect(intent).toMatchObject({ plan, planHash: hashPlan(plan), expiresAtMs: NOW_MS + 600_000 });
	await database.db.transaction((tx) => storePlan(tx, { intentId, plan }));
	const [again] = await readIntents(database.db, [intentId]);
	expect(again?.expiresAtMs).toBe(NOW_MS + 600_000);
});

test("an intent changes its status without waiting for another transaction that refers to it", async () => {
	const [intentId = ""] = await insert(1);
	await database.db.transaction(async (other) => {
		// As PostgreSQL locks it for them: twice written in one transaction, a submission checks it.
		await other.query("select 1 from wallets.intent where id = $1 for key share", [intentId]);
		const moved = database.db.transaction(
			(tx) => moveIntent(tx, { intentId, event: "deny", at, errorCode: "a_code" }),
			{ lockTimeoutMs: 2_000 },
		);
		expect(await moved).toBe("rejected");
	});
});

test("any intent of a batch gives the whole batch; a single intent is a batch of one", async () => {
	const ids = await insert(3, { batchId: Bun.randomUUIDv7() });
	const [alone = ""] = await insert(1);
	const [, second] = await readIntents(database.db, ids);
	if (!second) throw new Error("no intent");
	const batch = await readBatch(database.db, second);
	expect(batch.map(({ id }) => id)).toEqual([...ids].sort());
	expect(await readBatch(database.db, { id: alone, batchId: null })).toHaveLength(1);
});

test("[TRF-03] naming one intent of a batch reads the whole batch", async () => {
	const batch = await insert(3, { batchId: Bun.randomUUIDv7() });
	const other = await insert(2, { batchId: Bun.randomUUIDv7() });
	const [alone = ""] = await insert(1);
	const together = async (...ids: string[]) => {
		return (await readTogether(database.db, ids)).map(({ id }) => id);
	};
	for (const id of batch) expect(await together(id)).toEqual([...batch].sort());
	expect(await together(alone)).toEqual([alone]);
	const named = [batch[1] ?? "", alone, other[0] ?? ""];
	expect(await together(...named)).toEqual([...batch, ...other, alone].sort());
	expect(await together(crypto.randomUUID())).toEqual([]);
});

describe("a move", () => {
	test("an intent moves from its stored status, whatever status its caller expects", async () => {
		const [id = ""] = await insert(1);
		const wrong = { intentId: id, at, expected: "submitting" } as const;
		const moved = (event: "sent" | "reserve") =>
			database.db.transaction((tx) => moveIntent(tx, { ...wrong, event }));
		expect(await moved("sent")).toBeNull();
		expect(await moved("reserve")).toBe("submitting");
		expect(await moved("sent")).toBe("submitted");
		const moves = await database.db.query<{ from_status: string }>(
			"select from_status from wallets.intent_move where intent_id = $1 order by seq",
			[id],
		);
		expect(moves.map((one) => one.from_status)).toEqual(["created", "submitting"]);
	});

	test("a valid move is made and recorded", async () => {
		const [id = ""] = await insert(1);
		expect(await move(id, "reserve")).toBe("submitting");
		expect(await move(id, "doubt", "x".repeat(999))).toBe("uncertain");
		const moves = await database.db.query(
			`select seq, event, from_status, to_status, length(detail) as detail
			from wallets.intent_move where intent_id = $1 order by seq`,
			[id],
		);
		expect(moves).toEqual([
			{ seq: 1, event: "reserve", from_status: "created", to_status: "submitting", detail: null },
			{ seq: 2, event: "doubt", from_status: "submitting", to_status: "uncertain", detail: 500 },
		]);
		const [intent] = await readIntents(database.db, [id]);
		expect(intent).toMatchObject({ status: "uncertain", errorCode: "a_code", changedAtMs: NOW_MS });
	});

	test("an invalid move is refused, and leaves no record", async () => {
		const [id = ""] = await insert(1);
		expect(await move(id, "mined")).toBeNull();
		expect(await move(crypto.randomUUID(), "reserve")).toBeNull();
		expect(await database.db.query("select 1 from wallets.intent_move")).toHaveLength(0);
		const [intent] = await readIntents(database.db, [id]);
		expect(intent).toMatchObject({ status: "created", errorCode: null });
	});

	test("a move that another transaction is making is waited for, and not made a second time", async () => {
		const [id = ""] = await insert(1);
		const isMade = Promise.withResolvers<void>();
		const isWaitedFor = Promise.withResolvers<void>();
		const first = database.db.transaction(async (tx) => {
			const moved = await moveIntent(tx, { intentId: id, event: "reserve", at });
			isMade.resolve();
			await isWaitedFor.promise;
			return moved;
		});
		await isMade.promise;
		const second = move(id, "reserve");
		await until(async () => {
			const rows = await database.db.query(
				"select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
			);
			return rows.length > 0;
		}, "the second waits for the first");
		isWaitedFor.resolve();
		expect(await Promise.all([first, second])).toEqual(["submitting", null]);
		const moves = await database.db.query("select event from wallets.intent_move");
		expect(moves).toEqual([{ event: "reserve" }]);
	});

	test("a move that many callers make simultaneously is made once", async () => {
		const [id = ""] = await insert(1);
		const all = await Promise.all(Array.from({ length: 8 }, () => move(id, "reserve")));
		expect(all.filter((one) => one === "submitting")).toHaveLength(1);
		expect(all.filter((one) => one === null)).toHaveLength(7);
	});
});

describe("the list", () => {
	test("a profile's list has each intent once, newest first, in pages of any size", async () => {
		const ids: string[] = [];
		for (let index = 0; index < 7; index++) {
			// Two of one moment: the id decides, or one would be left out between pages.
			ids.push(...(await insert(1, { atMs: NOW_MS + Math.floor(index / 2) })));
		}
		const other = await insert(1, { kind: "other" });
		const stranger = by;
		by = await insertPerson(database.db, { chainId: 1, nowMs: NOW_MS });
		await insert(2);
		by = stranger;
		for (const limit of [1, 2, 3, 7, 50]) {
			const seen: string[] = [];
			let cursor: string | undefined;
			do {
				const asked = { profileId: by.profile.id, kinds: ["pay"], limit, cursor };
				const page = await listIntents(database.db, asked);
				seen.push(...page.items.map(({ id }) => id));
				cursor = page.nextCursor ?? undefined;
			} while (cursor !== undefined);
			expect(seen).toEqual([...ids].reverse());
		}
		const all = await listIntents(database.db, { profileId: by.profile.id, limit: 50 });
		expect(all.items.map(({ id }) => id)).toContain(other[0] ?? "");
	});

	test("the list refuses a cursor of another list", async () => {
		const id = crypto.randomUUID();
		for (const cursor of [
			"",
			"x",
			"1",
			`1_${"-".repeat(36)}`,
			`-1_${id}`,
			`1_${id} `,
			`1_${id}x`,
		]) {
			const asked = listIntents(database.db, { profileId: by.profile.id, limit: 1, cursor });
			expect(await asked.catch((fault) => fault.code)).toBe("validation_error");
		}
	});
});
