import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { StepObserver } from "#core/steps.ts";
import { HAND_OVER_WITHIN_MS } from "#plugins/wallets/limits.ts";
import { type Lab, NOW_MS, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a hand-over is made in its time or not at all, and waits for no answer for ever.

const RESERVED = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
/** For how long the process stands still before each of its hand-overs. */
let standsStillMs: number[];
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	standsStillMs = [];
	const observe: StepObserver = (step, edge) => {
		if (step === "custody.send" && edge === "before") lab.clock.ms += standsStillMs.shift() ?? 0;
	};
	lab = openExecutionLab(database.db, { observe });
});

test("[TRD-08] a process that was suspended after taking the nonce hands nothing over", async () => {
	const by = await lab.person();
	standsStillMs = [HAND_OVER_WITHIN_MS + 1];
	const [late] = await lab.pay(by);
	expect(late).toMatchObject({ status: "failed", errorCode: "hand_over_late" });
	expect(lab.handed).toHaveLength(0);
	expect(await lab.ledger(late?.id ?? "")).toEqual({ reserve: RESERVED, release: RESERVED });
	// It proves that nothing left: its nonce is the next one's.
	const [next] = await lab.pay(by);
	expect(next?.status).toBe("submitted");
	expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0]);
});

test("[TRD-08] a process that was suspended within a batch hands over only payments still in time", async () => {
	standsStillMs = [0, HAND_OVER_WITHIN_MS + 1];
	const batch = await lab.pay(await lab.person(), { times: 3, ether: "0.1" });
	expect(batch.map(({ status }) => status)).toEqual(["submitted", "failed", "submitted"]);
	expect(batch[1]?.errorCode).toBe("hand_over_late");
	expect(lab.handed.map(({ transaction }) => transaction.nonce)).toEqual([0, 1]);
});

test("[TRD-08] the wallet provider gets a deadline: its own time plus that of an answer", async () => {
	standsStillMs = [HAND_OVER_WITHIN_MS];
	const [sent] = await lab.pay(await lab.person());
	expect(sent?.status).toBe("submitted");
	const { sendTimeoutMs } = lab.deps.settings;
	const validUntilMs = NOW_MS + HAND_OVER_WITHIN_MS + sendTimeoutMs;
	expect(lab.handed).toMatchObject([{ validUntilMs }]);
	const rows = await lab.db.query<{ valid_until: Date }>(
		"select valid_until from wallets.submission",
	);
	expect(rows[0]?.valid_until.getTime()).toBe(validUntilMs);
});

test("[TRD-08] if the wallet provider never answers the intent is uncertain, and the process does not wait", async () => {
	lab.deps.settings.sendTimeoutMs = 1;
	lab.deps.custody.send = ({ signal }) => {
		const { promise, resolve } = Promise.withResolvers<{ kind: "unknown"; detail: string }>();
		const end = () => resolve({ kind: "unknown", detail: "called off" });
		signal.addEventListener("abort", end);
		if (signal.aborted) end();
		return promise;
	};
	const [intent] = await lab.pay(await lab.person());
	expect(intent?.status).toBe("uncertain");
	expect(await lab.ledger(intent?.id ?? "")).toEqual({ reserve: RESERVED });
});
