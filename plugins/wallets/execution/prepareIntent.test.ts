import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { AssertionFailed } from "#core/fault.ts";
import { CALLDATA_BYTES_MAX } from "#plugins/wallets/limits.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever a kind plans, no other chain, wallet or size is sent than it may have.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

/** From now on the kind plans something else than it was asked for. */
function planning(change: (plan: Plan) => Partial<Plan>): void {
	const honest = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({
		...honest,
		async prepare(intent, context) {
			const prepared = await honest.prepare(intent, context);
			if (prepared.kind !== "plan") return prepared;
			return { kind: "plan", plan: { ...prepared.plan, ...change(prepared.plan) } };
		},
	});
}

const bytes = (count: number): Plan["data"] => `0x${"00".repeat(count)}`;

for (const [what, change] of [
	["on another chain", () => ({ chainId: 1 })],
	["from another wallet", () => ({ from: SHOP })],
	["with more calldata than any order has", () => ({ data: bytes(CALLDATA_BYTES_MAX + 1) })],
	["of less than nothing", () => ({ valueRaw: -1n })],
	["that spends less than nothing", ({ spend }) => ({ spend: { ...spend, raw: -1n } })],
] satisfies [string, (plan: Plan) => Partial<Plan>][]) {
	test(`[TRD-08] a plan ${what} fails an assertion: nothing is reserved or sent`, async () => {
		planning(change);
		const by = await lab.person();
		const [intent] = await lab.pay(by, { stays: true });
		const id = intent?.id ?? "";
		const advanced = lab.execution.advance([id], lab.signal);
		expect(await advanced.catch((error: unknown) => error)).toBeInstanceOf(AssertionFailed);
		expect(lab.handed).toHaveLength(0);
		expect(await lab.ledger(id)).toEqual({});
		expect((await lab.intent(id)).status).toBe("created");
	});
}

test("calldata of the maximum length is sent, and so is empty calldata", async () => {
	planning(() => ({ data: bytes(CALLDATA_BYTES_MAX) }));
	const [longest] = await lab.pay(await lab.person());
	expect(longest?.status).toBe("submitted");
	planning(({ spend }) => ({ valueRaw: 0n, spend: { ...spend, raw: 0n } }));
	const [nothing] = await lab.pay(await lab.person());
	expect(nothing?.status).toBe("submitted");
});

test("a plan that has expired before it is complete is not sent", async () => {
	planning(() => ({ expiresAtMs: lab.clock.ms }));
	const [late] = await lab.pay(await lab.person());
	expect(late).toMatchObject({ status: "rejected", errorCode: "quote_expired" });
	expect(lab.handed).toHaveLength(0);
	planning(() => ({ expiresAtMs: lab.clock.ms + 1 }));
	const [sent] = await lab.pay(await lab.person());
	expect(sent?.status).toBe("submitted");
});

test("[NFT-01] an intent without a registered kind, or an unreadable one, is denied", async () => {
	const by = await lab.person();
	const [gone] = await lab.pay(by, { stays: true });
	const { kindOf } = lab.deps;
	lab.deps.kindOf = () => null;
	const [denied] = await lab.execution.advance([gone?.id ?? ""], lab.signal);
	expect(denied).toMatchObject({ status: "rejected", errorCode: "kind_disabled" });
	lab.deps.kindOf = kindOf;
	const kind = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({ ...kind, request: z.object({ other: z.string() }) });
	const [unread] = await lab.pay(by);
	expect(unread).toMatchObject({ status: "rejected", errorCode: "request_unreadable" });
	expect(lab.handed).toHaveLength(0);
});

test("[TRD-08] a programming error in a kind denies nothing: the intent continues once it is fixed", async () => {
	const [intent] = await lab.pay(await lab.person(), { stays: true });
	const id = intent?.id ?? "";
	lab.state.beforePlan = () => {
		throw new TypeError("undefined is not a function");
	};
	await expect(lab.execution.advance([id], lab.signal)).rejects.toBeInstanceOf(TypeError);
	expect((await lab.intent(id)).status).toBe("created");
	lab.state.beforePlan = () => {};
	const [sent] = await lab.execution.advance([id], lab.signal);
	expect(sent?.status).toBe("submitted");
});
