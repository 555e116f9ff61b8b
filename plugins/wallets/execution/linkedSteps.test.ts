import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { IntentKind, Preparation } from "#plugins/wallets/IntentKind.ts";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what takes two transactions sends the second once the first is confirmed and never
// otherwise; its owner is asked once; and where the first ends, the second ends with it.

let database: TestDatabase;
let lab: Lab;
/** What the second step's plan is worth to limits, and whether its first is there. */
let script: { isReady: boolean; etherOfSecond: string; asksFor: string };
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	script = { isReady: false, etherOfSecond: "0.5", asksFor: "pay" };
	lab.execution.register(twoStepKind());
});

/** A payment that wants another payment to be confirmed before it. */
function twoStepKind(): IntentKind<unknown> {
	const pay = payKind({ clock: lab.clock, script: lab.state });
	const request = (ether: string, data: string) => {
		return { valueRaw: String(BigInt(Number(ether) * 1e6) * 10n ** 12n), data, to: SHOP };
	};
	return {
		...pay,
		name: "two",
		async prepare(intent, context): Promise<Preparation> {
			const second = request(script.etherOfSecond, "0x02");
			const planned = await pay.prepare({ ...intent, request: second }, context);
			if (planned.kind !== "plan" || script.isReady) return planned;
			const first = { kind: script.asksFor, request: request("0.001", "0x01") };
			return { kind: "first", intent: first, spend: planned.plan.spend };
		},
		keeps: (approved: Plan, fresh: Plan) => fresh.valueRaw <= approved.valueRaw,
	};
}

async function begin(person: Person, asks = false, kind = "two"): Promise<Intent> {
	const { profile, wallet } = person;
	const [made] = await database.db.transaction((tx) =>
		lab.execution.create(tx, [
			{ kind, profile, wallet, chainId: wallet.chainId, channel: "api", request: {}, asks },
		]),
	);
	const [intent] = await lab.execution.advance([made?.id ?? ""], lab.signal);
	if (!intent) throw new Error("no intent");
	return intent;
}

async function stepOf(intent: Intent): Promise<Intent> {
	return await lab.intent(intent.afterId ?? "");
}

/** The chain mines what waits, and the jobs have two turns: one sees it, one goes on. */
async function mine(): Promise<void> {
	lab.chain.mine();
	script.isReady = true;
	await lab.tick();
	await lab.tick();
}

test("the second step is planned and sent once the first is confirmed", async () => {
	const intent = await begin(await lab.person());
	expect(intent).toMatchObject({ status: "waiting", plan: null });
	expect(await stepOf(intent)).toMatchObject({ kind: "pay", status: "submitted" });
	await lab.tick();
	expect((await lab.intent(intent.id)).status).toBe("waiting");
	expect(lab.handed).toHaveLength(1);
	await mine();
	expect((await lab.intent(intent.id)).status).toBe("submitted");
	await mine();
	expect((await lab.intent(intent.id)).status).toBe("confirmed");
	expect(await lab.moves(intent.id)).toEqual(["wait", "resume", "reserve", "sent", "mined"]);
	expect(lab.handed).toHaveLength(2);
	expect(await lab.ledger(intent.id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
});

test("a first step that fails ends the steps that wait for it, and none of them is sent", async () => {
	const intent = await begin(await lab.person());
	const { id } = await stepOf(intent);
	await database.db.execute(
		"update wallets.submission set state = 'queued', nonce = null where intent_id = $1",
		[id],
	);
	await database.db.execute("update wallets.intent set status = 'submitting' where id = $1", [id]);
	await lab.execution.cancel(id, { actor: "operator:ann", signal: lab.signal });
	await lab.tick();
	expect(await lab.intent(intent.id)).toMatchObject({
		...{ status: "rejected", errorCode: "previous_step_failed" },
		error: {
			code: "previous_step_failed",
			message: expect.stringContaining(
				`The step before it (pay ${id}) is failed: It was called off. (cancelled)`,
			),
			action: expect.stringContaining(`GET /v1/trading/steps/${id}`),
		},
	});
	expect(await lab.ledger(intent.id)).toEqual({});
});

test("in a dry run both transactions of an action end as dry_run, and nothing is sent", async () => {
	lab.state.isDryRun = true;
	const intent = await begin(await lab.person());
	expect((await stepOf(intent)).status).toBe("dry_run");
	await lab.tick();
	expect((await lab.intent(intent.id)).status).toBe("dry_run");
	expect(lab.handed).toEqual([]);
});

test("the owner cancels a waiting step, and the step that was sent continues", async () => {
	const intent = await begin(await lab.person());
	const by = { actor: "profile:ada", signal: lab.signal };
	expect(await lab.execution.cancel(intent.id, by)).toMatchObject({
		status: "rejected",
		errorCode: "cancelled",
	});
	await mine();
	expect((await lab.intent(intent.id)).status).toBe("rejected");
	expect(lab.handed).toHaveLength(1);
});

test("a limit refuses both steps before the first is sent", async () => {
	script.etherOfSecond = "3";
	const intent = await begin(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "per_trade_limit", afterId: null });
	expect(intent.error?.message).toMatch(/^It counts as \$[\d.]+, more than the \$[\d.]+ that the /);
	expect(intent.error).toMatchObject({ limit: { unit: "USD" }, amount: { unit: "USD" } });
	expect(lab.handed).toEqual([]);
});

test("an intent that requests a first step repeatedly is refused", async () => {
	const intent = await begin(await lab.person());
	for (let turn = 0; turn < 12; turn++) {
		lab.chain.mine();
		await lab.tick();
	}
	expect(await lab.intent(intent.id)).toMatchObject({
		status: "rejected",
		errorCode: "previous_step_failed",
	});
	expect(lab.handed).toHaveLength(4);
});

test("an intent that its kind finds already done is confirmed without a transaction", async () => {
	lab.execution.register({
		...payKind({ clock: lab.clock, script: lab.state }),
		name: "idle",
		prepare: async () => ({ kind: "done" }),
	});
	script.asksFor = "idle";
	const intent = await begin(await lab.person());
	expect((await stepOf(intent)).status).toBe("confirmed");
	script.isReady = true;
	await lab.tick();
	expect((await lab.intent(intent.id)).status).toBe("submitted");
	expect(lab.handed).toHaveLength(1);
});

describe("the owner of two steps", () => {
	async function confirm(intent: Intent): Promise<void> {
		await lab.execution.approve(intent.id, intent.planHash ?? "0x");
		await lab.execution.advance([intent.id], lab.signal);
	}

	test("the owner is asked once, by the first step, and the answer is valid for the second", async () => {
		const person = await lab.person({ requireTradeConfirmation: true });
		const intent = await begin(person);
		const asking = await lab.execution.asking(intent);
		expect(asking).toMatchObject({ id: intent.afterId, status: "confirmation_required" });
		const links = createLinks({ ...lab.deps, publicUrl: "https://app.example" });
		expect((await links.make(asking, "confirm")).url).toContain("/links/");
		await confirm(asking);
		await mine();
		expect((await lab.intent(intent.id)).status).toBe("submitted");
		expect(await lab.moves(intent.id)).not.toContain("ask_confirmation");
	});

	test("the owner is asked by the second step if the first did not ask", async () => {
		const person = await lab.person();
		const intent = await begin(person);
		await database.db.execute(
			"update wallets.profile set require_trade_confirmation = true where id = $1",
			[person.profile.id],
		);
		await mine();
		expect((await lab.intent(intent.id)).status).toBe("confirmation_required");
	});

	/** Pays beside it, as much as its owner says yes to. */
	async function spendMeanwhile(person: Person, ether: string): Promise<void> {
		const [other] = await lab.pay(person, { ether });
		if (other) await confirm(await lab.intent(other.id));
	}

	test("a yes sends no step for what the day's limit forbids by now, and says why", async () => {
		const person = await lab.person({
			requireTradeConfirmation: true,
			dailyUsdMax: 1_500_000_000n,
		});
		const intent = await begin(person);
		const asking = await lab.execution.asking(intent);
		await spendMeanwhile(person, "0.4");
		expect(lab.handed).toHaveLength(1);
		await confirm(asking);
		expect(lab.handed).toHaveLength(1);
		const step = await lab.intent(asking.id);
		expect(step).toMatchObject({ status: "rejected", errorCode: "daily_limit" });
		const why =
			"What it is a step for is not allowed now. With the $802.00 of the last 24 hours it is " +
			"$1802.00, more than the $1500.00 that the profile may move in a day.";
		expect(step.error?.message).toBe(why);
		await lab.tick();
		const { status, error } = await lab.intent(intent.id);
		expect(status).toBe("rejected");
		expect(error?.message).toContain(`is rejected: ${why} (daily_limit)`);
	});

	test("a yes to a step before a step is held against what waits for both", async () => {
		const two = twoStepKind();
		const spend = { currency: ZERO_ADDRESS, raw: 10n ** 18n, decimals: 18, symbol: "ETH" };
		const first = { kind: "two", request: {} };
		lab.execution.register({
			...two,
			name: "three",
			prepare: async () => ({ kind: "first", intent: first, spend }),
		});
		const person = await lab.person({
			requireTradeConfirmation: true,
			dailyUsdMax: 3_100_000_000n,
		});
		const intent = await begin(person, false, "three");
		const asking = await lab.execution.asking(intent);
		expect(asking).toMatchObject({ kind: "pay", status: "confirmation_required" });
		await spendMeanwhile(person, "0.1");
		await confirm(asking);
		expect(await lab.intent(asking.id)).toMatchObject({
			...{ status: "rejected", errorCode: "daily_limit" },
		});
	});

	test("if an owner never answers, both steps expire", async () => {
		const person = await lab.person({ requireTradeConfirmation: true });
		const intent = await begin(person);
		await lab.tick(700_000);
		await lab.tick();
		const step = await stepOf(intent);
		expect(step.status).toBe("expired");
		const { error } = await lab.intent(intent.id);
		expect(error?.message).toBe(`The step before it (pay ${step.id}) is expired.`);
	});
});

test("steps known beforehand wait for each other from the beginning", async () => {
	const { profile, wallet } = await lab.person();
	const pay = (data: string) => {
		const request = { valueRaw: "1000", data, to: SHOP };
		return {
			kind: "pay",
			profile,
			wallet,
			chainId: wallet.chainId,
			channel: "api",
			request,
		} as const;
	};
	const made = await database.db.transaction((tx) =>
		lab.execution.create(tx, [pay("0x01"), { ...pay("0x02"), after: 0 }]),
	);
	expect(made.map(({ status }) => status)).toEqual(["created", "waiting"]);
	expect(made[1]?.afterId).toBe(made[0]?.id ?? "");
	const ids = made.map(({ id }) => id);
	await lab.execution.advance(ids, lab.signal);
	expect(lab.handed).toHaveLength(1);
	await mine();
	await mine();
	expect((await lab.intent(ids[1] ?? "")).status).toBe("confirmed");
});
