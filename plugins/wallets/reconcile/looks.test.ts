import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "#core/time.ts";
import { wakeSubmission } from "#plugins/wallets/reconcile/looks.ts";
import { readOpen } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a hint of the wallet provider's has us look sooner and does nothing else, whether it
// is true or a lie, and however often it comes.

const RESERVED = 1_000_000_000;

let database: TestDatabase;
let lab: Lab;
let intent: string;
let reference: string;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	({ intent, reference } = await uncertain());
});

/** It left or not, the wallet provider does not say so, and the next look is long away. */
async function uncertain(mood: "sends, silent" | "loses" = "sends, silent") {
	lab.moods.push(mood);
	const [made] = await lab.pay(await lab.person());
	const reference = lab.handed.at(-1)?.referenceId ?? "";
	await lookAt(reference, 20 * MINUTE_MS);
	return { intent: made?.id ?? "", reference };
}

const lookAt = (id: string, inMs: number) =>
	lab.db.execute("update wallets.submission set look_at = $2 where id = $1", [
		id,
		new Date(lab.clock.ms + inMs),
	]);
const due = async () => {
	const open = await readOpen(lab.db, { sendTimeoutMs: 1_000, at: new Date(lab.clock.ms) });
	return open.map(({ id }) => id);
};
const status = async (id = intent) => (await lab.intent(id)).status;
const wake = (id = reference) => wakeSubmission(lab.db, { id, at: new Date(lab.clock.ms) });

test("after a hint an uncertain payment is settled in the next run, and not before", async () => {
	lab.chain.mine();
	await lab.tick();
	expect(await status()).toBe("uncertain");
	expect(await wake()).toBe(true);
	// Nothing is settled by the hint itself.
	expect(await status()).toBe("uncertain");
	expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED });
	await lab.tick();
	expect(await status()).toBe("confirmed");
	expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED, spend: RESERVED });
});

describe("a false hint", () => {
	test("a false hint about a pending payment releases nothing, and sends nothing again", async () => {
		await wake();
		await lab.tick();
		expect(await status()).toBe("submitted");
		expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED });
		expect(lab.handed).toHaveLength(1);
	});

	test("a false hint about a payment that was never sent settles nothing", async () => {
		const lost = await uncertain("loses");
		expect(await wake(lost.reference)).toBe(true);
		await lab.tick();
		expect(await status(lost.intent)).toBe("uncertain");
		expect(await lab.ledger(lost.intent)).toEqual({ reserve: RESERVED });
	});
});

test("a repeated hint settles one transaction once", async () => {
	lab.chain.mine();
	for (let times = 0; times < 4; times++) {
		await wake();
		await lab.tick();
	}
	expect(await status()).toBe("confirmed");
	expect(await lab.moves(intent)).toEqual(["reserve", "doubt", "mined"]);
	expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED, spend: RESERVED });
});

describe("a hint without effect", () => {
	test("a hint about an unknown submission has no effect", async () => {
		for (const id of [Bun.randomUUIDv7(), intent]) expect(await wake(id)).toBe(false);
		expect(await due()).toEqual([]);
	});

	test("a submission that is final, queued or already due keeps its time", async () => {
		const states = [
			"final_at = now()",
			"state = 'queued', final_at = null",
			"state = 'doubtful', look_at = null",
			`look_at = to_timestamp(${lab.clock.ms / 1_000 - 5})`,
		];
		const read = () =>
			lab.db.query<{ look_at: Date | null }>("select look_at from wallets.submission");
		for (const state of states) {
			await lab.db.execute(`update wallets.submission set ${state}`);
			const before = await read();
			expect([state, await wake()]).toEqual([state, false]);
			expect(await read()).toEqual(before);
		}
	});
});

test("a submission that a hint made due comes after those that were due before it", async () => {
	const late = await uncertain();
	await lookAt(late.reference, -1);
	expect(await wake()).toBe(true);
	expect(await due()).toEqual([late.reference, reference]);
});
