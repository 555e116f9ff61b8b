import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox } from "#core/outbox.ts";
import {
	type OwnedAction,
	type OwnedActions,
	ownTopic,
	tellOwnJob,
} from "#plugins/wallets/routes/ownActions.ts";
import { ownIntentRoutes } from "#plugins/wallets/routes/ownIntentRoutes.ts";
import {
	CHAIN_ID,
	type Lab,
	openExecutionLab,
	SHOP,
} from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: one list and one stream have all that somebody asked for, each with its steps, and
// nothing of anybody else's.

let database: TestDatabase;
let lab: Lab;
let ann: Person;
let bob: Person;
/** What another plugin keeps for people, such as bridges. */
let crossings: OwnedAction[];
let owned: OwnedActions;
let ask: (query?: string, who?: Person | null) => Promise<{ status: number; body: any }>;

beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table wallets.crossing_move (tx int8 default core.book_tx())");
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.execute(
		`truncate wallets.profile, wallets.intent_quota, wallets.crossing_move, core.stream_head,
			core.stream_frame cascade`,
	);
	lab = openExecutionLab(database.db);
	[ann, bob] = [await lab.person(), await lab.person()];
	crossings = [];
	owned = {
		kind: "crossing",
		statuses: ["arrived", "pending"],
		stepKinds: ["crossing-deposit"],
		moves: { table: "wallets.crossing_move", column: "tx" },
		list: async (_db, { profileId, status, after, limit }) =>
			crossings
				.filter((one) => one.profileId === profileId && (status === null || one.status === status))
				.sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
				.filter(
					(one) =>
						after === null ||
						one.createdAtMs < after.atMs ||
						(one.createdAtMs === after.atMs && one.id < after.id),
				)
				.slice(0, limit),
		touched: async (_tx, { intentIds }) =>
			crossings.filter(({ intentId }) => intentId !== null && intentIds.includes(intentId)),
	};
	const chains = createChainRegistry(builtinChains);
	let who: Person | null = ann;
	const routes = ownIntentRoutes({
		...{ db: database.db, execution: lab.execution, chains, owned: [owned] },
		kindOf: (name) => (name === "pay" || name === "crossing-deposit" ? {} : null),
		async authenticate() {
			if (!who) throw httpFault.unauthorized();
			return { profile: who.profile, sessionId: "s" };
		},
	});
	const app = testHttpApp({ routes: [routes], clock: lab.clock });
	ask = async (query = "", caller = ann) => {
		who = caller;
		const response = await app.handle(new Request(`http://localhost/v1/intents${query}`));
		return { status: response.status, body: await response.json() };
	};
});

async function pay(by: Person): Promise<string> {
	lab.clock.ms += 1_000;
	const [intent] = await lab.pay(by);
	return intent?.id ?? "";
}

/** Records an intent that waits for another: a step and what it is for. */
async function payInTwo(by: Person, kind = "pay"): Promise<{ step: string; intent: string }> {
	lab.clock.ms += 1_000;
	const made = {
		profile: by.profile,
		wallet: by.wallet,
		chainId: CHAIN_ID,
		channel: "api",
	} as const;
	const request = { valueRaw: "1", data: "0x", to: SHOP };
	const [step, intent] = await database.db.transaction((tx) =>
		lab.execution.create(tx, [
			{ ...made, kind: "pay", request },
			{ ...made, kind, request, after: 0 },
		]),
	);
	return { step: step?.id ?? "", intent: intent?.id ?? "" };
}

function cross(by: Person, given: Partial<OwnedAction> = {}): OwnedAction {
	lab.clock.ms += 1_000;
	const action: OwnedAction = {
		...{ id: Bun.randomUUIDv7(), profileId: by.profile.id, status: "pending" },
		...{ errorCode: null, error: null, waitsFor: null, chain: "anvil" },
		...{ summary: "It is on its way.", transactionHash: null, intentId: null },
		...{ createdAtMs: lab.clock.ms, changedAtMs: lab.clock.ms, ...given },
	};
	crossings.push(action);
	return action;
}

const idsOf = (body: any): string[] => body.data.map(({ id }: any) => id);

describe("GET /v1/intents", () => {
	test("200: all kinds in one order, on pages of any size, and nobody else's", async () => {
		const expected: string[] = [];
		for (let turn = 0; turn < 4; turn++) {
			expected.unshift(await pay(ann));
			expected.unshift(cross(ann).id);
			await pay(bob);
			cross(bob);
		}
		for (const limit of [1, 3, 200]) {
			const seen: string[] = [];
			let cursor = "";
			do {
				const { status, body } = await ask(`?limit=${limit}${cursor}`);
				expect(status).toBe(200);
				seen.push(...idsOf(body));
				cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
			} while (cursor !== "");
			expect(seen).toEqual(expected);
		}
	});

	test("200: a row has its state, reason and hash, and those of its steps; steps are no rows", async () => {
		const { step, intent } = await payInTwo(ann);
		const deposit = await payInTwo(ann, "crossing-deposit");
		const crossing = cross(ann, { intentId: deposit.intent, status: "arrived" });
		const { body } = await ask();
		expect(idsOf(body)).toEqual([crossing.id, intent]);
		const stepsOf = ({ steps }: any) =>
			steps.map(({ id, kind, status }: any) => [id, kind, status]);
		expect(body.data[0]).toMatchObject({ kind: "crossing", status: "arrived", errorCode: null });
		expect(stepsOf(body.data[0])).toEqual([
			[deposit.step, "pay", "created"],
			[deposit.intent, "crossing-deposit", "waiting"],
		]);
		expect(stepsOf(body.data[1])).toEqual([
			[step, "pay", "created"],
			[intent, "pay", "waiting"],
		]);
		const paid = await pay(ann);
		const [newest] = (await ask("?limit=1")).body.data;
		const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
		expect(newest).toMatchObject({ id: paid, status: "submitted", transactionHash: hash });
		expect(newest.steps).toMatchObject([{ id: paid, status: "submitted", transactionHash: hash }]);
	});

	test("200: only one kind, one status, one time", async () => {
		const first = await pay(ann);
		const firstAt = new Date(lab.clock.ms).toISOString();
		const waiting = (await payInTwo(ann)).intent;
		const crossing = cross(ann, { status: "arrived" }).id;
		const of = async (query: string) => idsOf((await ask(query)).body);
		expect(await of("?kind=crossing")).toEqual([crossing]);
		expect(await of("?kind=pay")).toEqual([waiting, first]);
		expect(await of("?status=arrived")).toEqual([crossing]);
		expect(await of("?status=waiting")).toEqual([waiting]);
		expect(await of(`?kind=pay&until=${firstAt}`)).toEqual([first]);
		const later = new Date(lab.clock.ms - 1_000).toISOString();
		expect(await of(`?kind=pay&from=${later}`)).toEqual([waiting]);
	});

	test("422 and 401: unknown filters, numbers in another form, another list's cursor, nobody", async () => {
		for (let turn = 0; turn < 3; turn++) await pay(ann);
		const { nextCursor } = (await ask("?kind=pay&limit=1")).body.page;
		expect(typeof nextCursor).toBe("string");
		const wrong: [string, string][] = [
			["?kind=payment", "validation_error"],
			["?kind=crossing-deposit", "validation_error"],
			["?status=done", "validation_error"],
			["?from=yesterday", "validation_error"],
			["?limit=1e1", "validation_error"],
			[`?limit=${"4".repeat(40)}`, "validation_error"],
			["?state=waiting", "validation_error"],
			[`?cursor=${nextCursor}`, "cursor_mismatch"],
			[`?kind=pay&status=waiting&cursor=${nextCursor}`, "cursor_mismatch"],
		];
		for (const [query, code] of wrong) {
			const { status, body } = await ask(query);
			expect({ query, status, code: body.code }).toEqual({ query, status: 422, code });
		}
		const other = await ask(`?kind=pay&cursor=${nextCursor}`, bob);
		expect([other.status, other.body.code]).toEqual([422, "cursor_mismatch"]);
		expect((await ask("?kind=nonsense", null)).status).toBe(401);
	});
});

describe("the stream of what moves", () => {
	const { signal } = new AbortController();
	let outbox: ReturnType<typeof createOutbox>;
	let tellAll: () => Promise<void>;
	let said: string[];

	beforeEach(async () => {
		const { db } = database;
		outbox = createOutbox({ db, bus: inProcessBus(silentLog), clock: lab.clock });
		const chains = createChainRegistry(builtinChains);
		said = [];
		const log = { error: (message: string) => void said.push(message) };
		const job = tellOwnJob({ db, outbox, chains, owned: [owned], log });
		tellAll = () => job.run({ signal });
		await tellAll();
		await db.execute("truncate core.stream_head, core.stream_frame");
	});

	async function framesOf(who: Person) {
		const { batches } = await outbox.read(ownTopic(who.profile.id), 0);
		return batches.flatMap(({ frames }) => frames) as { type: string; data: any }[];
	}

	test("each move is told once, to its owner alone, as the list has it", async () => {
		const id = await pay(ann);
		await pay(bob);
		await tellAll();
		await tellAll();
		const frames = await framesOf(ann);
		expect(frames.map(({ type, data }) => [type, data.id])).toEqual([["intent", id]]);
		expect(frames[0]?.data).toEqual((await ask("?limit=1")).body.data[0]);
		expect(await framesOf(bob)).toHaveLength(1);
	});

	test("a step that moves is told as what it is for", async () => {
		const { intent } = await payInTwo(ann);
		const deposit = await payInTwo(ann, "crossing-deposit");
		const crossing = cross(ann, { intentId: deposit.intent });
		const [{ id: step }] = (await ask()).body.data[1].steps;
		await lab.execution.advance([step, deposit.step], signal);
		await tellAll();
		const told = (await framesOf(ann)).map(({ data }) => data.id);
		expect(new Set(told)).toEqual(new Set([intent, crossing.id]));
	});

	test("what was not committed when others were told is told after it", async () => {
		const slow = await pay(ann);
		await tellAll();
		const before = (await framesOf(ann)).length;
		const moved = Promise.withResolvers<void>();
		const over = Promise.withResolvers<void>();
		const open = database.db.transaction(async (tx) => {
			await tx.execute(
				`insert into wallets.intent_move (intent_id, seq, event, from_status, to_status, at)
				values ($1, 99, 'found', 'uncertain', 'submitted', now())`,
				[slow],
			);
			moved.resolve();
			await over.promise;
		});
		await moved.promise;
		const quick = await pay(ann);
		await tellAll();
		const ids = async () => (await framesOf(ann)).slice(before).map(({ data }) => data.id);
		expect(await ids()).toEqual([quick]);
		over.resolve();
		await open;
		await tellAll();
		expect(await ids()).toEqual([quick, slow]);
	});

	test("what another plugin cannot read keeps nothing else from being told", async () => {
		owned.touched = async () => {
			throw new SyntaxError("a row of another time");
		};
		const id = await pay(ann);
		await tellAll();
		expect((await framesOf(ann)).map(({ data }) => data.id)).toEqual([id]);
		expect(said).toEqual(["what moved cannot be told to its owner"]);
	});

	test("where nothing moved nothing is written", async () => {
		await pay(ann);
		await tellAll();
		const snapshot = async () => database.db.query("select pg_current_snapshot()::text as at");
		const before = await snapshot();
		await tellAll();
		expect(await snapshot()).toEqual(before);
	});
});
