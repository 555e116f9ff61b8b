import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Commits } from "#core/db/commits/Commits.ts";
import { commitFault } from "#core/db/commits/faults.ts";
import { dbFault } from "#core/db/faults.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";
import type { OnceRequest } from "#plugins/wallets/contract.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("a line that is full says that nothing was done, where nothing was", async () => {
	const once = createOnce({ ...lab.deps, commits: failing({ 1: waiting }) });
	const refused = await failureOf(once(requestOf({ idempotencyKey: null })));
	expect(refused.code).toBe("commits_waiting");
	expect(refused.publicDetail).toContain("Nothing was done.");
	expect(await intents()).toBe(0);
});

test("with a key it speaks of this request alone: an earlier one may have done it", async () => {
	await lab.once(requestOf());
	const once = createOnce({ ...lab.deps, commits: failing({ 1: waiting }) });
	const refused = await failureOf(once(requestOf()));
	expect(refused.code).toBe("commits_waiting");
	expect(refused.publicDetail).not.toMatch(/nothing was done/i);
	expect(refused.publicDetail).toContain("same idempotency-key");
});

test("a line that is full once a key was found says that the outcome is not known", async () => {
	await lab.once(requestOf());
	const once = createOnce({ ...lab.deps, commits: failing({ 2: waiting }) });
	const refused = await failureOf(once(requestOf()));
	expect(refused.code).toBe("outcome_unknown");
	expect(refused.publicDetail).toContain("same idempotency-key");
});

test("so it is where the answer cannot be kept, and asking again answers for the same intents", async () => {
	const once = createOnce({ ...lab.deps, commits: failing({ 2: waiting }) });
	expect((await failureOf(once(requestOf()))).code).toBe("outcome_unknown");
	expect(await intents()).toBe(1);
	expect((await once(requestOf())).status).toBe(202);
	expect(await intents()).toBe(1);
});

test("a commit whose answer was lost is unknown, and its key is not under way any more", async () => {
	const once = createOnce({ ...lab.deps, commits: failing({ 1: lost }) });
	expect((await failureOf(once(requestOf()))).code).toBe("outcome_unknown");
	const again = await once(requestOf());
	expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
	expect(await intents()).toBe(1);
});

test("a key that could not be given back is given back with the next request", async () => {
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

test("what fails on our side once intents are recorded is unknown; other faults stay", async () => {
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

test("without a key it says to look first: the same request would be another one", async () => {
	const answer = async () => Promise.reject(commitFault.commitsWaiting());
	const failed = await failureOf(lab.once(requestOf({ answer, idempotencyKey: null })));
	expect(failed.code).toBe("outcome_unknown");
	expect(failed.publicDetail).toContain("Look at your intents before you send it again");
});

test("an answer to a replayed key says so, and the first one does not", async () => {
	const replayed = async (request: OnceRequest) =>
		(await lab.once(request)).headers.get("idempotency-replayed");
	expect(await replayed(requestOf())).toBeNull();
	expect(await replayed(requestOf())).toBe("true");
	expect(await replayed(requestOf())).toBe("true");
	for (const idempotencyKey of ["key-2", null, null]) {
		expect(await replayed(requestOf({ idempotencyKey }))).toBeNull();
	}
});
