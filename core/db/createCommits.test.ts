import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
	COMMITS_AT_ONCE,
	COMMITS_WAITING_MAX,
	type Commits,
	createCommits,
	OWNER_COMMITS_WAITING_MAX,
	SHARED_MAX,
} from "#core/db/createCommits.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createCommits", () => {
	// Guarantee: sharing a commit gives each caller the result that it would have alone.

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table thing (id text primary key, note text)");
	});
	afterAll(() => database?.drop());
	beforeEach(() => database.db.execute("truncate thing"));

	/** Makes a database that counts its transactions. */
	function counting() {
		const counted = { transactions: 0 };
		const transaction: Database["transaction"] = (run, options) => {
			counted.transactions++;
			return database.db.transaction(run, options);
		};
		return { counted, commits: createCommits({ transaction }) };
	}

	/** Locks the row `held` from another transaction; returns the function that releases it. */
	async function hold(): Promise<() => Promise<void>> {
		await database.db.execute("insert into thing (id) values ('held')");
		const [isHeld, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const holder = database.db.transaction(async (tx) => {
			await touch(tx);
			isHeld.resolve();
			await held.promise;
		});
		await isHeld.promise;
		return async () => {
			held.resolve();
			await holder;
		};
	}

	const touch = (tx: Tx) => tx.execute("update thing set note = 'x' where id = 'held'");
	const insert = (tx: Tx, id: string) => tx.execute("insert into thing (id) values ($1)", [id]);
	const stored = async () => {
		const rows = await database.db.query<{ id: string }>("select id from thing order by id");
		return rows.map(({ id }) => id);
	};
	const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n + 10}`);

	test("calls that arrive during a commit share the next commits, and each gets its own result", async () => {
		const { counted, commits } = counting();
		const all = names(40);
		const answers = await Promise.all(
			all.map((id) => commits.together(id, async (tx) => `${id}: ${await insert(tx, id)}`)),
		);
		expect(answers).toEqual(all.map((id) => `${id}: 1`));
		expect(await stored()).toEqual(all);
		// The first two run alone, then as many as may share one.
		expect(counted.transactions).toBe(2 + Math.ceil((40 - 2) / SHARED_MAX));
	});

	test("a call that fails in a shared commit fails alone, and no call runs twice", async () => {
		const { commits } = counting();
		const all = names(12);
		const outcomes = await Promise.allSettled(
			all.map((id, place) =>
				commits.together(id, async (tx) => {
					await insert(tx, id);
					if (place === 5) throw new Error("its own mistake");
					if (place === 7) await tx.query("select 1 / 0");
					return id;
				}),
			),
		);
		const failed = outcomes.flatMap(({ status }, place) => (status === "rejected" ? place : []));
		expect(failed).toEqual([5, 7]);
		expect(await stored()).toEqual(all.filter((_, place) => place !== 5 && place !== 7));
	});

	test("two calls of one owner never run at once, and run in their order", async () => {
		const { commits } = counting();
		let underWay = 0;
		const order: number[] = [];
		const act = (place: number) => async (tx: Tx) => {
			expect(++underWay).toBe(1);
			await tx.query("select pg_sleep(0.002)");
			order.push(place);
			underWay--;
		};
		await Promise.all(
			Array.from({ length: 8 }, (_, place) => commits.together("anna", act(place))),
		);
		expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
	});

	test("a call that waits for a locked row waits alone, and then gets the row", async () => {
		const { commits } = counting();
		const letGo = await hold();
		const add = (id: string) => commits.together(id, (tx) => insert(tx, id));
		// Two that come first, so that it shares its transaction with later ones.
		const first = ["a1", "a2"].map(add);
		const waits = commits.together("held", touch);
		await Promise.all([...first, ...names(6).map(add)]);
		expect(await stored()).toEqual(["a1", "a2", "held", ...names(6)]);
		await letGo();
		expect(await waits).toBe(1);
	});

	/** Writes in a last step, whose statement is sent with the commit. */
	const last = (commits: Commits, owner: string, write: (tx: Tx) => Promise<number>) =>
		commits.together(owner, async (tx) => {
			const written = { rows: 0 };
			const step = async () => {
				written.rows = await write(tx);
			};
			tx.beforeCommit(step, { singleStatement: true });
			return written;
		});

	test("a last step that the server refuses fails alone: the others are committed", async () => {
		const { commits } = counting();
		await database.db.execute("insert into thing (id) values ('there')");
		const first = ["a1", "a2"].map((id) => last(commits, id, (tx) => insert(tx, id)));
		const refused = last(commits, "b", (tx) => insert(tx, "there"));
		const others = names(6).map((id) => last(commits, id, (tx) => insert(tx, id)));
		await expect(refused).rejects.toThrow("duplicate key");
		const written = await Promise.all([...first, ...others]);
		expect(written.map(({ rows }) => rows)).toEqual(written.map(() => 1));
		expect(await stored()).toEqual(["a1", "a2", ...names(6), "there"]);
	});

	test("a last step that waits for a locked row waits alone, and then gets the row", async () => {
		const { commits } = counting();
		const letGo = await hold();
		const first = ["a1", "a2"].map((id) => last(commits, id, (tx) => insert(tx, id)));
		const waits = last(commits, "held", touch);
		await Promise.all([
			...first,
			...names(6).map((id) => last(commits, id, (tx) => insert(tx, id))),
		]);
		expect(await stored()).toEqual(["a1", "a2", "held", ...names(6)]);
		await letGo();
		expect((await waits).rows).toBe(1);
	});

	test("a last step whose answer is lost counts as unknown: no call that shared its commit is repeated", async () => {
		const gone = new Error("the connection is gone");
		const { commits, counted } = counting();
		const outcomes = await Promise.allSettled(
			names(3).map((owner) =>
				commits.together(owner, async (tx) => {
					const step = async () => {
						await insert(tx, owner);
						throw gone;
					};
					tx.beforeCommit(step, { singleStatement: true });
				}),
			),
		);
		expect(outcomes.every((one) => one.status === "rejected" && one.reason === gone)).toBe(true);
		expect(await stored()).toEqual(names(3));
		expect(counted.transactions).toBeLessThanOrEqual(3);
	});

	test("a commit whose answer is lost is not repeated", async () => {
		let transactions = 0;
		const gone = new Error("the connection is gone");
		const commits = createCommits({
			async transaction<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> {
				transactions++;
				// It was perhaps committed.
				await database.db.transaction(run);
				throw gone;
			},
		});
		const outcomes = await Promise.allSettled(
			names(6).map((id) => commits.together(id, (tx) => insert(tx, id))),
		);
		expect(outcomes.every((one) => one.status === "rejected" && one.reason === gone)).toBe(true);
		expect(transactions).toBe(3);
		expect(await stored()).toEqual(names(6));
	});

	test("a call that waits for a locked row does not fail, and is committed after it gets the row", async () => {
		const letGo = await hold();
		let transactions = 0;
		const transaction: Database["transaction"] = (run, options) => {
			// Its first try gave up on the row: now it waits as long as it takes.
			if (++transactions === 2) void letGo();
			return database.db.transaction(run, options);
		};
		expect(await createCommits({ transaction }).together("anna", touch)).toBe(1);
		expect(transactions).toBe(2);
	});

	test("a call that fails alone is not retried", async () => {
		const { counted, commits } = counting();
		const fails = commits.together("anna", async (tx) => {
			await insert(tx, "n1");
			throw new Error("its own mistake");
		});
		await expect(fails).rejects.toThrow("its own mistake");
		expect(counted.transactions).toBe(1);
		expect(await stored()).toEqual([]);
	});

	test("a call that runs alone after a failure still precedes the next of its owner", async () => {
		const { commits } = counting();
		const order: string[] = [];
		const underWay = new Set<string>();
		const act = (owner: string, name: string, fails = false) =>
			commits.together(owner, async (tx) => {
				expect(underWay.has(owner)).toBe(false);
				underWay.add(owner);
				try {
					await tx.query("select 1");
					if (fails) throw new Error("its own mistake");
					await insert(tx, name);
					order.push(name);
				} finally {
					underWay.delete(owner);
				}
			});
		// Two alone, so that the next share a transaction.
		const all = [act("x1", "x1"), act("x2", "x2"), act("anna", "a1"), act("bert", "b1", true)];
		all.push(act("anna", "a2"), act("bert", "b2"));
		await Promise.allSettled(all);
		const of = (owner: string) => order.filter((name) => name.startsWith(owner));
		// Rolled-back ones had run before; each counts once it is committed.
		expect([...new Set(of("a"))]).toEqual(["a1", "a2"]);
		expect(of("b")).toEqual(["b2"]);
		expect(await stored()).toEqual(["a1", "a2", "b2", "x1", "x2"]);
	});

	test("the number of simultaneous commits is limited, however many calls arrive", async () => {
		let underWay = 0;
		let most = 0;
		const transaction: Database["transaction"] = async (run, options) => {
			most = Math.max(most, ++underWay);
			try {
				return await database.db.transaction(run, options);
			} finally {
				underWay--;
			}
		};
		const commits = createCommits({ transaction });
		const count = SHARED_MAX * (COMMITS_AT_ONCE + 2);
		await Promise.all(names(count).map((id) => commits.together(id, (tx) => insert(tx, id))));
		expect(most).toBe(COMMITS_AT_ONCE);
	});

	test("calls that share a commit take their locks in one fixed order", async () => {
		const { commits } = counting();
		const begun: string[] = [];
		const act = (id: string) =>
			commits.together(id, async (tx) => {
				begun.push(id);
				await insert(tx, id);
			});
		// Two alone, so that the next share a transaction.
		await Promise.all(["x1", "x2", "d", "b", "a", "c"].map(act));
		expect(begun.slice(2)).toEqual(["a", "b", "c", "d"]);
	});
});

describe("createCommits.waiting", () => {
	// Guarantee: the queue has a limit, no owner fills it, and a refused call has done nothing.

	/** Makes a database that never answers. */
	function silent() {
		let begun = 0;
		const commits = createCommits({
			transaction: () => {
				begun++;
				return Promise.withResolvers<never>().promise;
			},
		});
		/** Returns the codes of the refused calls. */
		const ask = async (owners: readonly string[]) => {
			const codes: string[] = [];
			for (const owner of owners) {
				commits
					.together(owner, async () => {})
					.catch(({ code }: { code: string }) => codes.push(code));
			}
			await Promise.resolve();
			await Promise.resolve();
			return codes;
		};
		return { ask, begun: () => begun };
	}

	test("one owner's waiting calls are limited, and other owners still get in", async () => {
		const { ask } = silent();
		// The first one runs, so it no longer waits.
		const often = Array.from({ length: 1 + OWNER_COMMITS_WAITING_MAX }, () => "anna");
		expect(await ask(often)).toEqual([]);
		expect(await ask(["anna", "bert"])).toEqual(["commits_waiting"]);
	});

	test("a call is refused before it begins when the queue is full", async () => {
		const { ask, begun } = silent();
		const owners = Array.from({ length: 2 + COMMITS_WAITING_MAX }, (_, n) => `owner ${n}`);
		expect(await ask(owners)).toEqual([]);
		expect(await ask(["one more"])).toEqual(["commits_waiting"]);
		expect(begun()).toBe(2);
	});

	test("a call that is running does not count as waiting", async () => {
		const commits = createCommits({
			transaction: () => Promise.reject(new Error("the database is away")),
		});
		for (let n = 0; n < 2 * OWNER_COMMITS_WAITING_MAX; n++) {
			const outcome = await commits.together("anna", async () => {}).catch(String);
			expect(outcome).toContain("away");
		}
	});
});
