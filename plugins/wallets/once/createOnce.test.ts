import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Commits, commitFault } from "#core/db/createCommits.ts";
import { dbFault } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import type { NewIntent, OnceRequest } from "#plugins/wallets/Wallets.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createOnce.outcome", () => {
	// Guarantee: that nothing was done is said where it is proven, and nowhere else.

	let database: TestDatabase;
	let lab: Lab;
	let by: Awaited<ReturnType<Lab["person"]>>;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person();
	});

	function requestOf(changes: Partial<OnceRequest> = {}): OnceRequest {
		const { profile, wallet } = by;
		const request = { valueRaw: "1", data: "0x", to: `0x${"5".repeat(40)}` };
		return {
			principal: { profile, sessionId: "s" },
			route: "POST /v1/pay",
			idempotencyKey: "key-1",
			body: {},
			intents: [{ kind: "pay", profile, wallet, chainId: 31_337, channel: "api", request }],
			answer: async (ids) => ({ status: 202, body: { ids } }),
			...changes,
		};
	}

	/** Commits of which those by these numbers fail, before or after they are done. */
	function failing(faults: Record<number, { fault: Error; isDone: boolean }>): Commits {
		let number = 0;
		return {
			async together(owner, act) {
				number++;
				const planned = faults[number];
				if (planned && !planned.isDone) throw planned.fault;
				const result = await lab.deps.commits.together(owner, act);
				if (planned) throw planned.fault;
				return result;
			},
		};
	}

	async function failureOf(
		asked: Promise<Response>,
	): Promise<{ code: string; publicDetail: string }> {
		return asked.then(
			({ status }) => ({ code: String(status), publicDetail: "" }),
			(fault) => fault,
		);
	}

	async function intents(): Promise<number> {
		return (await database.db.query("select 1 from wallets.intent")).length;
	}

	const waiting = { fault: commitFault.commitsWaiting(), isDone: false };
	const lost = { fault: dbFault.outcomeUnknown(), isDone: true };

	test("the error for a full queue says that nothing was done, if that is certain", async () => {
		const once = createOnce({ ...lab.deps, commits: failing({ 1: waiting }) });
		const refused = await failureOf(once(requestOf({ idempotencyKey: null })));
		expect(refused.code).toBe("commits_waiting");
		expect(refused.publicDetail).toContain("Nothing was done.");
		expect(await intents()).toBe(0);
	});

	test("a refusal of a request with a key does not say that nothing was done: an earlier one may have run", async () => {
		await lab.once(requestOf());
		const once = createOnce({ ...lab.deps, commits: failing({ 1: waiting }) });
		const refused = await failureOf(once(requestOf()));
		expect(refused.code).toBe("commits_waiting");
		expect(refused.publicDetail).not.toMatch(/nothing was done/i);
		expect(refused.publicDetail).toContain("same idempotency-key");
	});

	test("the error for a full queue after a key was found says that the outcome is unknown", async () => {
		await lab.once(requestOf());
		const once = createOnce({ ...lab.deps, commits: failing({ 2: waiting }) });
		const refused = await failureOf(once(requestOf()));
		expect(refused.code).toBe("outcome_unknown");
		expect(refused.publicDetail).toContain("same idempotency-key");
	});

	test("an answer that cannot be stored is unknown, and a repeated request answers for the same intents", async () => {
		const once = createOnce({ ...lab.deps, commits: failing({ 2: waiting }) });
		expect((await failureOf(once(requestOf()))).code).toBe("outcome_unknown");
		expect(await intents()).toBe(1);
		expect((await once(requestOf())).status).toBe(202);
		expect(await intents()).toBe(1);
	});

	test("a commit whose answer was lost is unknown, and its key is no longer in use", async () => {
		const once = createOnce({ ...lab.deps, commits: failing({ 1: lost }) });
		expect((await failureOf(once(requestOf()))).code).toBe("outcome_unknown");
		const again = await once(requestOf());
		expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
		expect(await intents()).toBe(1);
	});

	test("a key that could not be released is released with the next request", async () => {
		const db = { ...lab.deps.db, execute: () => Promise.reject(new Error("away")) };
		let isAway = true;
		const deps = {
			...lab.deps,
			get db() {
				return isAway ? db : lab.deps.db;
			},
		};
		const once = createOnce(deps);
		const away = async () => Promise.reject(dbFault.databaseUnavailable());
		expect((await failureOf(once(requestOf({ answer: away })))).code).toBe("outcome_unknown");
		const held =
			"select 1 from wallets.idempotent_answer where key = 'key-1' and session is not null";
		expect(await database.db.query(held)).toHaveLength(1);
		isAway = false;
		await once(requestOf({ idempotencyKey: "another" }));
		while ((await database.db.query(held)).length > 0);
		// Another process has the key: it knows the row alone.
		expect((await lab.once(requestOf())).status).toBe(202);
		expect(await intents()).toBe(2);
	});

	const upstream = defineFaults({
		away: { status: 503, retry: "later", public: "Away." },
		odd: { status: 409, retry: "never", public: "Odd." },
	});

	test("our own failure after intents are recorded gives an unknown outcome; other faults are unchanged", async () => {
		const failed = (error: unknown) => {
			const answer = async () => Promise.reject(error);
			return failureOf(lab.once(requestOf({ answer, idempotencyKey: crypto.randomUUID() })));
		};
		for (const error of [commitFault.commitsWaiting(), dbFault.outcomeUnknown(), upstream.away()]) {
			expect((await failed(error)).code).toBe("outcome_unknown");
		}
		const odd = upstream.odd();
		const mistake = new TypeError("mine");
		expect([await failed(odd), await failed(mistake)] as unknown[]).toEqual([odd, mistake]);
	});

	test("the error for an unknown outcome without a key advises to check first, not to repeat", async () => {
		const answer = async () => Promise.reject(commitFault.commitsWaiting());
		const failed = await failureOf(lab.once(requestOf({ answer, idempotencyKey: null })));
		expect(failed.code).toBe("outcome_unknown");
		expect(failed.publicDetail).toContain("Look at your intents before you send it again");
	});

	test("the answer to a repeated key is marked as repeated, and the first one is not", async () => {
		const replayed = async (request: OnceRequest) =>
			(await lab.once(request)).headers.get("idempotency-replayed");
		expect(await replayed(requestOf())).toBeNull();
		expect(await replayed(requestOf())).toBe("true");
		expect(await replayed(requestOf())).toBe("true");
		for (const idempotencyKey of ["key-2", null, null]) {
			expect(await replayed(requestOf({ idempotencyKey }))).toBeNull();
		}
	});
});

describe("createOnce.record", () => {
	// Guarantee: a plugin's own row is there with its key or not at all, and everybody who asks by
	// the key is told of the same row.

	let database: TestDatabase;
	let lab: Lab;
	let by: Awaited<ReturnType<Lab["person"]>>;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table public.note (id uuid primary key)");
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile, public.note cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person();
	});

	function requestOf(more: Partial<OnceRequest> = {}): OnceRequest {
		return {
			principal: { profile: by.profile, sessionId: "s" },
			route: "POST /v1/notes",
			idempotencyKey: "key-1",
			body: {},
			intents: [],
			record: async (tx, id) =>
				void (await tx.execute("insert into public.note values ($1)", [id])),
			answer: async (ids, recorded, recordId) => ({
				status: 201,
				body: { ids, recordId, isFresh: recorded !== null },
			}),
			...more,
		};
	}

	const newIntent = (): NewIntent => ({
		...{ kind: "pay", profile: by.profile, wallet: by.wallet, chainId: 31_337, channel: "api" },
		request: { valueRaw: "1", data: "0x", to: `0x${"5".repeat(40)}` },
	});
	const ask = async (request: OnceRequest) => (await lab.once(request)).json() as any;
	const notes = async () =>
		(await database.db.query<{ id: string }>("select id from public.note")).map(({ id }) => id);

	test("a row without intents is recorded with its key, once", async () => {
		const first = await ask(requestOf());
		expect(first).toMatchObject({ ids: [], isFresh: true });
		expect(await ask(requestOf())).toEqual(first);
		expect(await notes()).toEqual([first.recordId]);
	});

	test("each request without a key has its own record", async () => {
		await ask(requestOf({ idempotencyKey: null }));
		await ask(requestOf({ idempotencyKey: null }));
		expect(await notes()).toHaveLength(2);
	});

	test("a refused row leaves no key and no intents, and a later request may use both", async () => {
		const intent = newIntent();
		const record = () => Promise.reject(httpFault.forbidden());
		const refused = ask(requestOf({ intents: [intent], record }));
		await expect(refused).rejects.toMatchObject({ code: "forbidden" });
		expect(await database.db.query("select from wallets.intent")).toHaveLength(0);
		expect(await database.db.query("select from wallets.idempotent_answer")).toHaveLength(0);
		const { ids, recordId } = await ask(requestOf({ intents: [intent] }));
		expect(ids).toHaveLength(1);
		expect(await notes()).toEqual([recordId]);
	});

	test("a request that takes over from one without an answer gets the same record", async () => {
		const seen: (string | null)[] = [];
		const fails = async (_: unknown, __: unknown, recordId: string | null) => {
			seen.push(recordId);
			throw new Error("the process dies here");
		};
		await expect(ask(requestOf({ answer: fails }))).rejects.toThrow("the process dies here");
		const { recordId, isFresh } = await ask(requestOf());
		expect(seen).toEqual([recordId]);
		expect(isFresh).toBe(false);
		expect(await notes()).toEqual([recordId]);
	});

	test("rows count in their owner's quota, as an intent does", async () => {
		const { burst } = lab.deps.settings.quota;
		await database.db.execute(
			`insert into wallets.intent_quota (profile_id, tokens, at) values ($1, 1, $2)`,
			[by.profile.id, new Date(lab.clock.nowMs())],
		);
		expect(burst).toBeGreaterThan(1);
		await ask(requestOf({ idempotencyKey: null }));
		for (const idempotencyKey of [null, "key-2"]) {
			const refused = ask(requestOf({ idempotencyKey }));
			await expect(refused).rejects.toMatchObject({ code: "intent_quota" });
		}
		expect(await notes()).toHaveLength(1);
	});

	test("the amount of an intent follows the ledger: reserved, released, counted again", async () => {
		const { ids } = await ask(requestOf({ intents: [newIntent()] }));
		const [id] = ids;
		const held = () => lab.execution.held(database.db, [id, crypto.randomUUID()]);
		const none = { errorCode: null, error: null, transactionHash: null } as const;
		const stands = { intentId: id, status: "created", ...none } as const;
		expect(await held()).toEqual([{ ...stands, raw: 0n }]);
		const entry = (kind: string) =>
			database.db.execute(
				`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind, chain_id,
					currency,
				amount_raw, usd_micros, at) values ($1, $2, $3, $4, 31337, $5, 250, 1, now())`,
				[id, by.profile.id, by.wallet.id, kind, new Uint8Array(20)],
			);
		const expected = [
			["reserve", 250n],
			["release", 0n],
			["unrelease", 250n],
			["spend", 250n],
			["unspend", 250n],
			["release", 0n],
		] as const;
		for (const [kind, raw] of expected) {
			await entry(kind);
			expect(await held()).toMatchObject([{ raw }]);
		}
	});
});

describe("createOnce.sharing", () => {
	// Guarantee: who misuses a key, or clicks twice, rolls back nothing of anybody else's.

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

	function requestOf(by: Person, { key = "key-1", body = {} as object } = {}): OnceRequest {
		const { profile, wallet } = by;
		return {
			principal: { profile, sessionId: "s" },
			route: "POST /v1/pay",
			idempotencyKey: key,
			body,
			intents: [{ kind: "pay", profile, wallet, chainId: 31_337, channel: "api", request: {} }],
			answer: async () => ({ status: 200, body: {} }),
		};
	}

	test("a key that is refused inside a transaction does not prevent the transaction's commit", async () => {
		const by = await lab.person();
		const outcomes: string[] = [];
		const once = createOnce({
			...lab.deps,
			commits: {
				together: async (_owner, act) =>
					lab.db
						.transaction((tx) => act(tx))
						.then(
							(result) => {
								outcomes.push("committed");
								return result;
							},
							(error) => {
								outcomes.push("rolled back");
								throw error;
							},
						),
			},
		});
		const code = (request: OnceRequest) =>
			once(request).then(
				({ status }) => String(status),
				(error: { code: string }) => error.code,
			);
		expect(await code(requestOf(by))).toBe("200");
		expect(await code(requestOf(by, { body: { other: true } }))).toBe("idempotency_conflict");
		// Under way, as far as anybody knows: a live session, and no answer.
		await lab.db.execute(
			`update wallets.idempotent_answer set status = null, body = null, session = (
			select application_name from pg_stat_activity where pid = pg_backend_pid()
		)`,
		);
		expect(await code(requestOf(by))).toBe("request_running");
		// Who comes second takes no key, and then asks whose it is.
		expect(outcomes).toEqual(Array.from({ length: 6 }, () => "committed"));
	});
});

describe("createOnce", () => {
	// Guarantee: under one key there is one request, one set of intents, and one answer.

	let database: TestDatabase;
	let lab: Lab;
	let by: Awaited<ReturnType<Lab["person"]>>;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person();
	});

	type Options = Partial<OnceRequest> & { key?: string | null; amount?: string };

	function intentOf({ profile, wallet }: typeof by): NewIntent {
		const request = { valueRaw: "1", data: "0x", to: `0x${"5".repeat(40)}` };
		return { kind: "pay", profile, wallet, chainId: 31_337, channel: "api", request };
	}

	/** A request that makes one intent and answers its id. */
	function requestOf({ key = "key-1", amount = "1", ...more }: Options = {}): OnceRequest {
		return {
			principal: { profile: by.profile, sessionId: "s" },
			route: "POST /v1/pay",
			idempotencyKey: key,
			body: { amount },
			intents: [intentOf(by)],
			answer: async (ids) => ({ status: 202, body: { ids, n: crypto.randomUUID() } }),
			...more,
		};
	}

	async function codeOf(request: Promise<Response>): Promise<unknown> {
		return request.then(
			({ status }) => status,
			(fault) => fault.code,
		);
	}

	async function textOf(request: Promise<Response>): Promise<string> {
		return request.then(
			(response) => response.text(),
			(fault) => fault.code,
		);
	}

	async function intents(): Promise<number> {
		const rows = await database.db.query("select 1 from wallets.intent");
		return rows.length;
	}

	/** Opens once a test says so. */
	function gate() {
		const { promise, resolve } = Promise.withResolvers<void>();
		return { opened: promise, open: resolve };
	}

	test("[TRF-04] a repeated key with the same body gets the first answer's bytes", async () => {
		const first = await lab.once(requestOf());
		const text = await first.text();
		const second = await lab.once(requestOf());
		expect([second.status, await second.text()]).toEqual([202, text]);
		for (const { headers } of [first, second])
			expect(headers.get("cache-control")).toBe("no-store");
		expect(second.headers.get("content-type")).toBe(first.headers.get("content-type") ?? "");
		expect(await intents()).toBe(1);
	});

	test("the order of a body's members does not make it another request", async () => {
		const one = await (await lab.once(requestOf({ body: { a: 1, b: [{ c: 2, d: 3 }] } }))).text();
		const two = await (await lab.once(requestOf({ body: { b: [{ d: 3, c: 2 }], a: 1 } }))).text();
		expect(two).toBe(one);
	});

	test("a repeated key with another body is a conflict, also while the first request runs", async () => {
		const { opened, open } = gate();
		const begun = gate();
		const first = lab.once(
			requestOf({
				answer: async (ids) => {
					begun.open();
					await opened;
					return { status: 202, body: { ids } };
				},
			}),
		);
		await begun.opened;
		expect(await codeOf(lab.once(requestOf({ amount: "2" })))).toBe("idempotency_conflict");
		open();
		await first;
		expect(await codeOf(lab.once(requestOf({ amount: "2" })))).toBe("idempotency_conflict");
		expect(await intents()).toBe(1);
	});

	test("a key belongs to its owner and its route", async () => {
		const texts = new Set<string>();
		texts.add(await (await lab.once(requestOf())).text());
		texts.add(await (await lab.once(requestOf({ route: "POST /v1/other" }))).text());
		by = await lab.person();
		texts.add(await (await lab.once(requestOf({ amount: "2" }))).text());
		expect(texts.size).toBe(3);
		expect(await intents()).toBe(3);
	});

	test("a request without a key is always a new one, and its answer is not stored", async () => {
		await lab.once(requestOf({ key: null }));
		await lab.once(requestOf({ key: null }));
		expect(await intents()).toBe(2);
		expect(await database.db.query("select 1 from wallets.idempotent_answer")).toHaveLength(0);
	});

	test("of many simultaneous requests one runs; the others wait for its answer or are told to retry", async () => {
		const { opened, open } = gate();
		const begun = gate();
		const slow = requestOf({
			answer: async (ids) => {
				begun.open();
				await opened;
				return { status: 202, body: { ids } };
			},
		});
		const all = Array.from({ length: 6 }, () => lab.once(slow));
		const told = all.map((one) => textOf(one));
		await begun.opened;
		const late = await lab.once(slow).catch((fault) => fault);
		expect(late).toMatchObject({
			status: 409,
			code: "request_running",
			members: { retryAfterMs: 1_000 },
		});
		open();
		// Who was let in to the database only after the first was done has the first one's bytes.
		const different = new Set(await Promise.all(told));
		expect(different.delete("request_running")).toBe(true);
		expect([...different]).toEqual([await textOf(lab.once(slow))]);
		expect(await intents()).toBe(1);
	});

	test("a failed answer is not stored: the next request continues with the same intents", async () => {
		let first: readonly string[] = [];
		const failing = requestOf({
			answer: async (ids) => {
				first = ids;
				throw new Error("the upstream is away");
			},
		});
		await expect(lab.once(failing)).rejects.toThrow("the upstream is away");
		await expect(lab.once(failing)).rejects.toThrow("the upstream is away");
		const answered = await (await lab.once(requestOf())).json();
		expect(answered.ids).toEqual([...first]);
		expect(await intents()).toBe(1);
	});

	test("an answer that could not be stored is not repeated either", async () => {
		await database.db.execute(`create function wallets.full_disk() returns trigger language plpgsql
		as $$ begin if new.status is not null then raise 'disk full'; end if; return new; end $$`);
		await database.db.execute(`create trigger full_disk before update on wallets.idempotent_answer
		for each row execute function wallets.full_disk()`);
		await expect(lab.once(requestOf())).rejects.toThrow();
		await database.db.execute("drop function wallets.full_disk cascade");
		expect(await codeOf(lab.once(requestOf()))).toBe(202);
		expect(await intents()).toBe(1);
	});

	test("a request that never ended counts as running for some minutes only", async () => {
		const { opened, open } = gate();
		const { opened: begun, open: begin } = gate();
		const stuck = lab.once(
			requestOf({
				async answer(ids) {
					begin();
					await opened;
					return { status: 202, body: { ids } };
				},
			}),
		);
		await begun;
		lab.clock.ms += 599_000;
		expect(await codeOf(lab.once(requestOf()))).toBe("request_running");
		lab.clock.ms += 2_000;
		const next = await textOf(lab.once(requestOf()));
		open();
		expect(await textOf(stuck)).toBe(next);
		expect(await intents()).toBe(1);
	});

	describe("a process that died during a request", () => {
		test("a request of a dead process is taken over, with its intents, by the next one", async () => {
			const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
			let first: readonly string[] = [];
			const never = new Promise<never>(() => {});
			const hung = gate();
			dead(
				requestOf({
					answer: async (ids) => {
						first = ids;
						hung.open();
						return never;
					},
				}),
			);
			await hung.opened;
			const answered = await (await lab.once(requestOf())).json();
			expect(answered.ids).toEqual([...first]);
			expect(await intents()).toBe(1);
		});

		test("of several requests only one takes over that of a dead process", async () => {
			const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
			const hung = gate();
			const never = new Promise<never>(() => {});
			dead(requestOf({ answer: async () => (hung.open(), never) }));
			await hung.opened;
			let answered = 0;
			const { opened, open } = gate();
			const begun = gate();
			const slow = requestOf({
				answer: async (ids) => {
					answered++;
					begun.open();
					await opened;
					return { status: 202, body: { ids } };
				},
			});
			const told = [lab.once(slow), lab.once(slow)].map((one) => codeOf(one));
			await begun.opened;
			// Whoever came second was told so before the first one's answer was there.
			expect(await Promise.race(told)).toBe("request_running");
			open();
			expect((await Promise.all(told)).map(String).sort()).toEqual(["202", "request_running"]);
			expect(answered).toBe(1);
		});

		test("[TRF-04] of two processes only one takes over the request of a dead process", async () => {
			const never = new Promise<never>(() => {});
			const far = openExecutionLab(database.db);
			for (let round = 0; round < 5; round++) {
				const key = `key-${round}`;
				const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
				const hung = gate();
				dead(requestOf({ key, answer: async () => (hung.open(), never) })).catch(() => {});
				await hung.opened;
				let answering = 0;
				const both = gate();
				const slow = requestOf({
					key,
					answer: async (ids) => {
						answering++;
						await both.opened;
						return { status: 202, body: { ids } };
					},
				});
				const told = [lab, far].map(({ once }) => codeOf(once(slow)));
				expect(await Promise.race(told)).toBe("request_running");
				both.open();
				await Promise.all(told);
				expect(answering).toBe(1);
			}
		});

		test("[TRF-04] a request that takes over counts as running for as long as the first one did", async () => {
			const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
			const never = new Promise<never>(() => {});
			const hung = gate();
			dead(requestOf({ answer: async () => (hung.open(), never) })).catch(() => {});
			await hung.opened;
			lab.clock.ms += 601_000;
			const begun = gate();
			const { opened, open } = gate();
			const taken = lab.once(
				requestOf({
					answer: async (ids) => {
						begun.open();
						await opened;
						return { status: 202, body: { ids } };
					},
				}),
			);
			await begun.opened;
			lab.clock.ms += 599_000;
			expect(await codeOf(lab.once(requestOf()))).toBe("request_running");
			open();
			expect((await taken).status).toBe(202);
			expect(await intents()).toBe(1);
		});

		test("a request whose intents cannot be created leaves neither intents nor its key", async () => {
			const stranger = { ...by.wallet, id: Bun.randomUUIDv7() };
			const failing = requestOf({ intents: [intentOf(by), intentOf({ ...by, wallet: stranger })] });
			await expect(lab.once(failing)).rejects.toThrow("violates foreign key");
			expect(await intents()).toBe(0);
			expect((await lab.once(requestOf({ amount: "2" }))).status).toBe(202);
		});
	});

	test("a late answer does not replace the stored one: both callers get the same bytes", async () => {
		const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
		const { opened, open } = gate();
		const hung = gate();
		const late = dead(
			requestOf({
				answer: async (ids) => {
					hung.open();
					await opened;
					return { status: 202, body: { ids, late: true } };
				},
			}),
		);
		await hung.opened;
		const text = await (await lab.once(requestOf())).text();
		open();
		expect(await (await late).text()).toBe(text);
		expect(await (await lab.once(requestOf())).text()).toBe(text);
	});

	test("a key is 1 to 255 printable ASCII characters", async () => {
		for (const key of ["", " ", "a b", "é", "\u0000", "a\n", "k".repeat(256), "\u007f"]) {
			expect(await codeOf(lab.once(requestOf({ key })))).toBe("idempotency_key_invalid");
		}
		expect(await intents()).toBe(0);
		for (const key of ["a", "!", "~", "k".repeat(255), '"quoted"']) {
			expect(await codeOf(lab.once(requestOf({ key })))).toBe(202);
		}
	});

	test("[TRF-04] an answer that fails after another one was stored does not change that one", async () => {
		const dead = createOnce({ ...lab.deps, session: "a process that is gone" });
		const { opened, open } = gate();
		const hung = gate();
		const late = dead(
			requestOf({
				answer: async () => {
					hung.open();
					await opened;
					throw new Error("the upstream is away");
				},
			}),
		);
		await hung.opened;
		const text = await (await lab.once(requestOf())).text();
		const kept = () => database.db.query("select * from wallets.idempotent_answer");
		const before = await kept();
		open();
		await expect(late).rejects.toThrow("the upstream is away");
		expect(await kept()).toEqual(before);
		expect(await (await lab.once(requestOf())).text()).toBe(text);
	});

	test("[TRF-04] an answer that fails releases its own key, and no other", async () => {
		const { opened, open } = gate();
		const others: Promise<Response>[] = [];
		const stranger = await lab.person();
		const own = by;
		for (const change of [{ route: "POST /v1/other" }, { key: "another" }, {}] as const) {
			const begun = gate();
			if (Object.keys(change).length === 0) by = stranger;
			const answer = async (ids: readonly string[]) => {
				begun.open();
				await opened;
				return { status: 202, body: { ids } };
			};
			others.push(lab.once(requestOf({ ...change, answer })));
			await begun.opened;
		}
		by = own;
		const failing = requestOf({
			answer: async () => {
				throw new Error("the upstream is away");
			},
		});
		await expect(lab.once(failing)).rejects.toThrow("the upstream is away");
		expect(await codeOf(lab.once(requestOf({ route: "POST /v1/other" })))).toBe("request_running");
		expect(await codeOf(lab.once(requestOf({ key: "another" })))).toBe("request_running");
		by = stranger;
		expect(await codeOf(lab.once(requestOf()))).toBe("request_running");
		open();
		await Promise.all(others);
		expect(await intents()).toBe(4);
	});
});
