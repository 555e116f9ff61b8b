import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { Fault } from "#core/fault.ts";
import { quotaSql } from "#plugins/wallets/quota.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { NewIntent, OnceRequest } from "#plugins/wallets/Wallets.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: Lab;
let by: Awaited<ReturnType<Lab["person"]>>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.intent_quota cascade");
	lab = openExecutionLab(database.db);
	lab.state.quota = { burst: 100, perSecond: 2, refusedCost: 5 };
	by = await lab.person();
});

function ask(key: string | null, times = 1, whose = by): Promise<Response | Fault> {
	const request = { valueRaw: "1", data: "0x", to: `0x${"5".repeat(40)}` };
	const intent: NewIntent = {
		...{ kind: "pay", profile: whose.profile, wallet: whose.wallet, chainId: 31_337 },
		...{ channel: "api", request },
	};
	const asked: OnceRequest = {
		principal: { profile: whose.profile, sessionId: "s" },
		route: "POST /v1/pay",
		idempotencyKey: key,
		body: { times },
		intents: Array.from({ length: times }, () => intent),
		answer: async (ids) => ({ status: 202, body: { ids } }),
	};
	return lab.once(asked).catch((fault: Fault) => fault);
}

async function intents(): Promise<number> {
	const [row] = await database.db.query<{ count: number }>("select count(*) from wallets.intent");
	return row?.count ?? -1;
}

const OVER = { code: "intent_quota", status: 429, retry: "later" };

for (const key of ["with", "without"] as const) {
	test(`${key} a key: requests within the quota are recorded, and one more is refused with the wait`, async () => {
		const name = (turn: string) => (key === "with" ? turn : null);
		for (const turn of ["one", "two"])
			expect(await ask(name(turn), 50)).toMatchObject({ status: 202 });
		const refused = await ask(name("three"), 50);
		expect(refused).toMatchObject({ ...OVER, members: { retryAfterMs: 25_000 } });
		expect(await intents()).toBe(100);
		lab.clock.ms += 24_999;
		expect(await ask(name("three"), 50)).toMatchObject(OVER);
		lab.clock.ms += 1;
		// The refusal took no key: the same request is met now.
		expect(await ask(name("three"), 50)).toMatchObject({ status: 202 });
		expect(await intents()).toBe(150);
	});
}

test("a repeated request gets its stored answer although the profile's quota is used up", async () => {
	const first = await ask("a", 50);
	const text = first instanceof Response ? await first.text() : "";
	await ask("b", 50);
	expect(await ask("c")).toMatchObject(OVER);
	const again = await ask("a", 50);
	expect(again instanceof Response ? await again.text() : again).toBe(text);
});

test("one profile's used-up quota does not limit another profile", async () => {
	await ask("a", 100 / 2);
	await ask("b", 100 / 2);
	expect(await ask("c")).toMatchObject(OVER);
	expect(await ask("c", 1, await lab.person())).toMatchObject({ status: 202 });
});

test("many simultaneous requests of one profile never exceed its quota together", async () => {
	lab.state.quota = { burst: 60, perSecond: 1, refusedCost: 0 };
	const answers = await Promise.all(
		Array.from({ length: 90 }, (_, turn) => ask(turn % 2 === 0 ? `key-${turn}` : null)),
	);
	expect(answers.filter(({ status }) => status === 202)).toHaveLength(60);
	for (const refused of answers.filter(({ status }) => status !== 202)) {
		expect(refused).toMatchObject(OVER);
	}
	expect(await intents()).toBe(60);
});

test("a refused payment counts as six requests: a wallet without funds is stopped soon, and can resume", async () => {
	const payment = { ether: "1000000" };
	for (let turn = 0; turn < 16; turn++) {
		expect(await lab.pay(by, payment)).toMatchObject([{ status: "rejected" }]);
	}
	// 4 are left: for one of four that are good, and after a bad one for none.
	expect(await lab.pay(by, { ether: "0.0001" })).toMatchObject([{ status: "submitted" }]);
	expect(await lab.pay(by, payment)).toMatchObject([{ status: "rejected" }]);
	const refused = await lab.pay(by, payment).catch((fault: Fault) => fault);
	expect(refused).toMatchObject({ ...OVER, members: { retryAfterMs: 2_000 } });
	lab.clock.ms += 2_000;
	expect(await lab.pay(by, { ether: "0.0001" })).toMatchObject([{ status: "submitted" }]);
});

test("a profile never waits longer than two bursts take, however many payments are refused", async () => {
	lab.state.quota = { burst: 50, perSecond: 1, refusedCost: 1_000 };
	await lab.pay(by, { ether: "1000000", times: 50 });
	lab.clock.ms += 50_000 + 1_000;
	expect(await lab.pay(by, { ether: "0.0001" })).toMatchObject([{ status: "submitted" }]);
});

test("the default quota allows twelve batches of fifty in a row", async () => {
	const { executionConfig } = await import("#plugins/wallets/limits.ts");
	const { TRADING_INTENTS_BURST_MAX, TRADING_INTENTS_PER_MINUTE_MAX } = executionConfig;
	const burst = TRADING_INTENTS_BURST_MAX.parse(undefined);
	const perSecond = TRADING_INTENTS_PER_MINUTE_MAX.parse(undefined) / 60;
	lab.state.quota = { burst, perSecond, refusedCost: 5 };
	for (let turn = 0; turn < 12; turn++) {
		expect(await ask(`batch-${turn}`, 50)).toMatchObject({ status: 202 });
	}
});

test("the SQL statement gives the same result as the token bucket in memory, for any requests", async () => {
	const step = fc.record({
		amount: fc.integer({ min: 1, max: 50 }),
		afterMs: fc.integer({ min: -2_000, max: 20_000 }),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
			const profileId = Bun.randomUUIDv7();
			const quota = { burst: 60, perSecond: 4, refusedCost: 0 };
			const model = { tokens: quota.burst, ms: 0 };
			let ms = lab.clock.ms;
			for (const { amount, afterMs } of steps) {
				ms += afterMs;
				const charge = { profileId, at: new Date(ms), amount, quota };
				const rows = await database.db.query(
					quotaSql.charge({ first: 1, from: "" }),
					quotaSql.values(charge),
				);
				const saved = model.ms === 0 ? 0 : (Math.max(0, ms - model.ms) / 1_000) * quota.perSecond;
				const has = Math.min(quota.burst, model.tokens + saved);
				const isMet = has >= amount;
				expect(rows.length > 0).toBe(isMet);
				if (isMet) Object.assign(model, { tokens: has - amount, ms: Math.max(model.ms, ms) });
			}
		}),
		{ numRuns: 40 },
	);
});
