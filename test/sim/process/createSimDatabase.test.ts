import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import {
	createGate,
	createSimDatabase,
	type DatabaseKnobs,
} from "#test/sim/process/createSimDatabase.ts";
import { createTally } from "#test/sim/Tally.ts";

describe("createGate", () => {
	/** What settles within the microtasks of now. */
	async function settles(promise: Promise<unknown>): Promise<boolean> {
		let settled = false;
		promise.then(() => {
			settled = true;
		});
		for (let turn = 0; turn < 10; turn++) await Promise.resolve();
		return settled;
	}

	test("[ING-09] a stalled process continues where it was, a killed one never does", async () => {
		const gate = createGate();
		expect(await settles(gate.pass())).toBe(true);
		gate.shut();
		const waiting = gate.pass();
		expect(await settles(waiting)).toBe(false);
		gate.open();
		expect(await settles(waiting)).toBe(true);
		gate.shut();
		const lost = gate.pass();
		gate.kill();
		expect(await settles(lost)).toBe(false);
		expect(await settles(gate.pass())).toBe(false);
		expect(gate.death).rejects.toThrow("killed");
	});
});

describe("createSimDatabase", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table kept (what text)");
	});
	afterAll(() => database.drop());

	const NOTHING = { errorRate: 0, failedCommitRate: 0, lostCommitRate: 0, delayRate: 0 };

	function open(knobs: Partial<DatabaseKnobs> = {}) {
		const gate = createGate();
		const tally = createTally();
		const db = createSimDatabase({
			db: database.db,
			gate,
			knobs: { ...NOTHING, ...knobs },
			faults: { active: true },
			prng: createPrng(5),
			tally,
			beforeCommit: async () => {},
		});
		return { db, gate, tally };
	}

	async function kept(): Promise<string[]> {
		const rows = await database.db.query<{ what: string }>("select what from kept order by what");
		return rows.map(({ what }) => what);
	}

	test("a commit whose answer is lost was made, and its hints were not published", async () => {
		const { db, tally } = open({ lostCommitRate: 1 });
		let hinted = false;
		const lost = db.transaction(async (tx) => {
			tx.afterCommit(() => {
				hinted = true;
			});
			await tx.execute("insert into kept values ('unknown')");
		});
		expect(await lost.catch(String)).toContain("the connection was lost");
		expect(await kept()).toEqual(["unknown"]);
		expect(hinted).toBe(false);
		expect(tally.of("db_commit_unknown")).toBe(1);
	});

	test("a commit that fails changes nothing, and its hints were not published", async () => {
		const { db, tally } = open({ failedCommitRate: 1 });
		let hinted = false;
		const lost = db.transaction(async (tx) => {
			tx.afterCommit(() => {
				hinted = true;
			});
			await tx.execute("insert into kept values ('failed')");
		});
		expect(await lost.catch(String)).toContain("the connection was lost");
		expect(await kept()).not.toContain("failed");
		expect([hinted, tally.of("db_commit_failed")]).toEqual([false, 1]);
	});

	test("[ING-09] a killed process's open transactions are rolled back, and it gets no answer", async () => {
		const { db, gate } = open();
		const inserted = Promise.withResolvers<void>();
		let heard = false;
		const lost = db.transaction(async (tx) => {
			await tx.execute("insert into kept values ('dead')");
			inserted.resolve();
			await new Promise(() => {});
		});
		const hear = () => {
			heard = true;
		};
		lost.then(hear, hear);
		await inserted.promise;
		gate.kill();
		// A lock on the table is granted only once the dead transaction is over.
		await database.db.transaction((tx) => tx.execute("lock table kept"));
		expect(await kept()).not.toContain("dead");
		expect(heard).toBe(false);
	});

	test("statements that a transaction sends together run in order, whichever is delayed", async () => {
		const { db, tally } = open({ delayRate: 0.5 });
		await database.db.execute(
			"create table told (turn int8 generated always as identity, number int8)",
		);
		await db.transaction(async (tx) => {
			const sent = Array.from({ length: 20 }, (_, number) => number);
			await Promise.all(
				sent.map((number) => tx.execute("insert into told (number) values ($1)", [number])),
			);
		});
		const rows = await database.db.query<{ number: number }>(
			"select number from told order by turn",
		);
		expect(rows.map(({ number }) => number)).toEqual(rows.map((_, turn) => turn));
		expect(rows).toHaveLength(20);
		expect(tally.of("db_delay")).toBeGreaterThan(0);
	});

	test("a transaction that lost its connection cannot commit, even if it ignores the error", async () => {
		const { db } = open({ errorRate: 0.4 });
		for (let turn = 0; turn < 30; turn++) {
			let failed = false;
			const done = await db
				.transaction(async (tx) => {
					await tx.execute("insert into kept values ('half')").catch(() => {
						failed = true;
					});
				})
				.then(
					() => true,
					() => false,
				);
			if (failed) expect(done).toBe(false);
			const rows = await kept();
			expect(rows.includes("half")).toBe(done);
			await database.db.execute("delete from kept where what = 'half'");
		}
	});
});
