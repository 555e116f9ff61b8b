import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createMetrics } from "#core/metrics.ts";
import { quarantineJob, readQuarantined } from "#core/quarantine.ts";
import { intentRow } from "#plugins/wallets/intent/intentRow.ts";
import { submissionRow } from "#plugins/wallets/submission/submission.ts";
import { openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { listWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a row that cannot be read is kept and shown to operators; nobody else waits for it.

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, core.quarantined_row cascade");
});

/** Two people with a transfer each, sent; the first one's rows are then made unreadable. */
async function openLab() {
	const lab = openExecutionLab(database.db);
	const [anna, bob] = [await lab.person(), await lab.person()];
	const pay = async (by: typeof anna) => {
		const [intent] = await lab.pay(by);
		if (!intent) throw new Error("nothing was paid");
		return intent;
	};
	const [annas, bobs] = [await pay(anna), await pay(bob)];
	const errors: Record<string, unknown>[] = [];
	const metrics = createMetrics();
	const job = quarantineJob({
		...{ owner: "wallets", db: database.db, metrics },
		sources: [intentRow, submissionRow],
		log: {
			...lab.deps.log,
			error: (_text: string, context?: Record<string, unknown>) => errors.push(context ?? {}),
		},
	});
	const check = () => job.run({ signal: lab.signal });
	const gauge = async () => {
		const { body } = await metrics.expose();
		return body.split("\n").filter((line) => line.startsWith("tapeline_wallets_quarantined"));
	};
	return { ...lab, pay, anna, bob, annas, bobs, errors, check, gauge };
}

/** What no build of ours can read, in each column that a node's number is stored in. */
const SPOILED = [
	...["nonce", "from_block", "seen_nonce"].flatMap((column) => [
		`${column} = 9007199254740992`,
		`${column} = 9223372036854775807`,
		`${column} = -1`,
	]),
	"sent_at = 'infinity'",
];

describe("an unreadable submission", () => {
	for (const spoiled of SPOILED) {
		test(`an unreadable submission is skipped while others settle, and settles after repair (${spoiled})`, async () => {
			const lab = await openLab();
			const { annas, bobs, chain } = lab;
			const column = spoiled.split(" ")[0] ?? "";
			const [kept] = await database.db.query<{ value: string | null }>(
				`select ${column}::text as value from wallets.submission where intent_id = $1`,
				[annas.id],
			);
			await database.db.execute(`update wallets.submission set ${spoiled} where intent_id = $1`, [
				annas.id,
			]);
			chain.mine();
			await lab.tick();
			await lab.tick();
			expect(await lab.intent(bobs.id)).toMatchObject({ status: "confirmed" });
			expect(await lab.intent(annas.id)).toMatchObject({ status: "submitted" });
			expect(await readQuarantined(database.db)).toMatchObject([
				{ table: "wallets.submission", count: 1 },
			]);
			await lab.check();
			await lab.check();
			expect(lab.errors).toHaveLength(1);
			expect(await lab.gauge()).toContain(
				'tapeline_wallets_quarantined_rows{table="wallets.submission"} 1',
			);
			const type = column === "sent_at" ? "timestamptz" : "int8";
			await database.db.execute(
				`update wallets.submission set ${column} = $2::text::${type} where intent_id = $1`,
				[annas.id, kept?.value ?? null],
			);
			await lab.check();
			expect(await readQuarantined(database.db)).toEqual([]);
			expect(await lab.gauge()).toContain(
				'tapeline_wallets_quarantined_rows{table="wallets.submission"} 0',
			);
			await lab.tick(60_000);
			expect(await lab.intent(annas.id)).toMatchObject({ status: "confirmed" });
		});
	}

	test("an unreadable submission leaves the list of waiting intents readable", async () => {
		const lab = await openLab();
		await database.db.execute(
			`update wallets.submission set nonce = 9007199254740993 where intent_id = $1`,
			[lab.annas.id],
		);
		await database.db.execute("update wallets.intent set status = 'uncertain'");
		const listed = await listWaiting(lab.deps, 10);
		expect(listed.map(({ id, nonce }) => [id, typeof nonce])).toEqual(
			expect.arrayContaining([[lab.bobs.id, "number"]]),
		);
		expect(listed).toHaveLength(2);
		expect(listed.find(({ id }) => id === lab.annas.id)?.nonce).toBeNull();
	});

	test("an unreadable submission takes no other's turn, however many there are", async () => {
		const lab = await openLab();
		await database.db.execute(
			`update wallets.submission set nonce = 9007199254740993 where intent_id = $1`,
			[lab.annas.id],
		);
		await lab.tick();
		const [row] = await database.db.query<{ isPutOff: boolean }>(
			`select look_at > $2 as "isPutOff" from wallets.submission where intent_id = $1`,
			[lab.annas.id, new Date(lab.clock.ms)],
		);
		expect(row).toEqual({ isPutOff: true });
	});
});

describe("an unreadable intent", () => {
	for (const spoiled of [
		`plan = jsonb_set(plan, '{valueRaw}', '"-1"')`,
		`plan = jsonb_set(plan, '{chainId}', '1e99')`,
		"plan = '[]'",
		"chain_id = 9007199254740992",
		"expires_at = 'infinity'",
	]) {
		test(`an unreadable intent causes no 500 in its owner's list, and others settle (${spoiled})`, async () => {
			const lab = await openLab();
			const { anna, annas, bobs, chain, execution } = lab;
			const other = await lab.pay(anna);
			await database.db.execute(`update wallets.intent set ${spoiled} where id = $1`, [annas.id]);
			for (const limit of [1, 2, 10]) {
				const seen: string[] = [];
				let cursor: string | null = null;
				do {
					const asked = { limit, ...(cursor === null ? {} : { cursor }) };
					const page: Awaited<ReturnType<typeof execution.list>> = await execution.list(
						anna.profile.id,
						asked,
					);
					seen.push(...page.items.map(({ id }) => id));
					cursor = page.nextCursor;
				} while (cursor !== null);
				expect(seen).toEqual([other.id]);
			}
			const read = execution.read(annas.id, anna.profile.id);
			await expect(read).rejects.toMatchObject({ code: "row_unreadable", status: 503 });
			expect(await execution.read(annas.id, lab.bob.profile.id)).toBeNull();
			chain.mine();
			await lab.tick();
			await lab.tick();
			expect(await lab.intent(bobs.id)).toMatchObject({ status: "confirmed" });
			expect(await lab.intent(other.id)).toMatchObject({ status: "confirmed" });
			expect(await readQuarantined(database.db)).toMatchObject([
				{ table: "wallets.intent", count: 1 },
			]);
		});
	}

	test("an unreadable intent of a batch prevents the whole batch from being sent", async () => {
		const lab = openExecutionLab(database.db);
		const anna = await lab.person();
		const made = await lab.pay(anna, { times: 2, stays: true });
		await database.db.execute("update wallets.intent set chain_id = -1 where id = $1", [
			made[0]?.id ?? "",
		]);
		await lab.execution.advance([made[1]?.id ?? ""], lab.signal);
		await lab.tick(20_000);
		expect(lab.handed).toHaveLength(0);
	});
});
