import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { findEvidence, reviewIntent } from "#plugins/wallets/resolve/resolveIntent.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { listWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("findEvidence", () => {
	// Guarantee: what somebody's own wallet sent is given up for a nonce that was seen and is used
	// up, at the very depth that counts, and for nothing else.

	let database: TestDatabase;
	let lab: Lab;
	let by: Person;
	let intent: Intent;
	let hash: Hex;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person({ capability: "external/manual" });
		const [asked] = await lab.pay(by);
		if (!asked?.plan) throw new Error("no plan");
		intent = asked;
		const { from, to, valueRaw, data } = asked.plan;
		hash = lab.chain.send({ from, to, valueRaw, data, nonce: 0 });
		await lab.execution.signed(asked.id, hash);
	});

	/** What comes of a claim: a finding, or the code that refuses it. */
	async function claim(transactionHash: Hex | null): Promise<unknown> {
		const [row] = await lab.db.query<SubmissionRow>(
			`select ${submissionRow.columns} from wallets.submission s`,
		);
		const { plan } = intent;
		if (!row || !plan) throw new Error("nothing was sent");
		const asked = { submission: submissionRow.read(row), plan, rpc: lab.chain.rpc };
		return await findEvidence(lab.deps, {
			...{ ...asked, signal: lab.signal, claim: { transactionHash } },
		}).catch((fault) => fault.code);
	}
	const other = (nonce = 0) =>
		lab.chain.send({ from: by.wallet.address, to: SHOP, nonce, valueRaw: 1n, data: "0x" });

	test("[TRD-08] a payment that no node has shown has no nonce that could count as used", async () => {
		lab.chain.forgetPool();
		const used = other();
		for (let block = 0; block < 9; block++) lab.chain.mine();
		expect(await claim(null)).toBe("nonce_unknown");
		expect(await claim(used)).toBe("evidence_other");
	});

	test("[TRD-08] a seen payment is given up once another transaction has its nonce, deep enough", async () => {
		await lab.tick();
		expect(await claim(null)).toBe("nonce_free");
		lab.chain.forgetPool();
		const used = other();
		lab.chain.mine();
		const { finalDepthBlocks } = lab.deps.settings;
		for (let depth = 0; depth < finalDepthBlocks; depth++) {
			expect([depth, await claim(null)]).toEqual([depth, "evidence_shallow"]);
			expect([depth, await claim(used)]).toEqual([depth, "evidence_shallow"]);
			lab.chain.mine();
		}
		expect(await claim(null)).toMatchObject({ kind: "never", code: "replaced" });
		expect(await claim(used)).toMatchObject({ kind: "never", code: "replaced" });
	});

	test("[TRD-08] the planned payment is found by its own hash, and by the one that used its nonce", async () => {
		await lab.tick();
		expect(await claim(hash)).toMatchObject({ kind: "seen", transactionHash: hash });
		lab.chain.mine();
		expect(await claim(null)).toMatchObject({ kind: "seen", transactionHash: hash });
	});
});

describe("reviewIntent", () => {
	// Guarantee: what its kind wants to have reviewed is not sent before an operator says yes, whose
	// yes is never its owner's, and holds for what was looked at and nothing beyond.

	const DAY_MS = 86_400_000;
	let database: TestDatabase;
	let lab: Lab;
	let script: { extraRaw: bigint; isReviewed: boolean };
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		script = { extraRaw: 0n, isReviewed: true };
		lab.execution.register(reviewedKind());
	});

	function reviewedKind(): IntentKind<unknown> {
		const pay = payKind({ clock: lab.clock, script: lab.state });
		return {
			...pay,
			async prepare(intent, context) {
				const planned = await pay.prepare(intent, context);
				if (planned.kind !== "plan") return planned;
				const valueRaw = planned.plan.valueRaw + script.extraRaw;
				const spend = { ...planned.plan.spend, raw: valueRaw };
				const plan = { ...planned.plan, valueRaw, spend };
				const review = { code: "quotes_diverge", detail: "Two quotes are far apart." };
				return { kind: "plan", plan, ...(script.isReviewed && { review }) };
			},
			keeps: (approved: Plan, fresh: Plan) => fresh.valueRaw <= approved.valueRaw,
		};
	}

	async function asked(requireTradeConfirmation = false): Promise<Intent> {
		const [intent] = await lab.pay(await lab.person({ requireTradeConfirmation }));
		if (!intent) throw new Error("no intent");
		expect(intent).toMatchObject({ status: "review_required", errorCode: "quotes_diverge" });
		return intent;
	}

	const review = (intent: Intent, answer: "approve" | "refuse") =>
		reviewIntent(lab.deps, { intentId: intent.id, answer, actor: "ann", ending: lab.signal });

	test("an intent for review is listed with its reason, lasts a day, and continues if approved", async () => {
		const intent = await asked();
		expect(intent.expiresAtMs - lab.clock.ms).toBe(DAY_MS);
		const [listed] = await listWaiting(lab.deps, 10);
		expect(listed).toMatchObject({ id: intent.id, reason: "review", errorCode: "quotes_diverge" });
		expect(listed?.actions.map(({ name }) => name)).toEqual(["review"]);
		expect(lab.handed).toEqual([]);
		await lab.tick(DAY_MS / 2);
		expect((await review(intent, "approve")).status).toBe("submitted");
		expect(lab.handed).toHaveLength(1);
		expect(lab.audited).toMatchObject([
			{ action: "trading.review.approved", actor: "operator:ann" },
		]);
	});

	test("an operator's refusal ends it, and nothing is reserved", async () => {
		const intent = await asked();
		expect(await review(intent, "refuse")).toMatchObject({
			status: "rejected",
			errorCode: "review_refused",
		});
		expect(await lab.ledger(intent.id)).toEqual({});
		await expect(review(intent, "approve")).rejects.toMatchObject({ code: "intent_state" });
	});

	test("an operator's approval does not replace the owner's, who is asked after it", async () => {
		const intent = await asked(true);
		const after = await review(intent, "approve");
		expect(after.status).toBe("confirmation_required");
		await lab.execution.approve(intent.id, after.planHash ?? "0x");
		await lab.execution.advance([intent.id], lab.signal);
		expect((await lab.intent(intent.id)).status).toBe("submitted");
	});

	test("the owner's confirmation does not replace an operator's approval", async () => {
		script.isReviewed = false;
		const [intent] = await lab.pay(await lab.person({ requireTradeConfirmation: true }));
		script.isReviewed = true;
		await lab.execution.approve(intent?.id ?? "", intent?.planHash ?? "0x");
		await lab.execution.advance([intent?.id ?? ""], lab.signal);
		expect((await lab.intent(intent?.id ?? "")).status).toBe("review_required");
		await expect(
			lab.execution.approve(
				intent?.id ?? "",
				(await lab.intent(intent?.id ?? "")).planHash ?? "0x",
			),
		).rejects.toMatchObject({ code: "intent_state" });
	});

	test("an approval is valid for smaller amounts, and a larger one is reviewed again", async () => {
		const intent = await asked();
		script.extraRaw = 1n;
		expect((await review(intent, "approve")).status).toBe("review_required");
		script.extraRaw = -1n;
		const again = await lab.intent(intent.id);
		expect((await review(again, "approve")).status).toBe("submitted");
	});

	test("an intent for review expires after a day, and a late approval is refused", async () => {
		const intent = await asked();
		lab.clock.ms += DAY_MS;
		await expect(review(intent, "approve")).rejects.toMatchObject({ code: "intent_state" });
		await lab.tick();
		expect((await lab.intent(intent.id)).status).toBe("expired");
	});
});
