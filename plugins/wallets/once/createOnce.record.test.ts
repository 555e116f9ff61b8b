import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { httpFault } from "#core/http/httpFault.ts";
import type { NewIntent, OnceRequest } from "#plugins/wallets/contract.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a plugin's own row is there with its key or not at all, and everybody who asks by the
// key is told of the same row.

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
		record: async (tx, id) => void (await tx.execute("insert into public.note values ($1)", [id])),
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

test("without a key each request has a row of its own", async () => {
	await ask(requestOf({ idempotencyKey: null }));
	await ask(requestOf({ idempotencyKey: null }));
	expect(await notes()).toHaveLength(2);
});

test("a row that is refused leaves no key and no intents, and the next one may have both", async () => {
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

test("who takes over from a request that got no answer is told of the same row", async () => {
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

test("what an intent holds follows the ledger: reserved, given back, and counted again", async () => {
	const { ids } = await ask(requestOf({ intents: [newIntent()] }));
	const [id] = ids;
	const held = () => lab.execution.held(database.db, [id, crypto.randomUUID()]);
	expect(await held()).toEqual([{ intentId: id, status: "created", errorCode: null, raw: 0n }]);
	const entry = (kind: string) =>
		database.db.execute(
			`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind, chain_id, currency,
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
