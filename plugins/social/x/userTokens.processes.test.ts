import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import type { SocialConfig } from "#plugins/social/limits.ts";
import { type CallX, createAskX } from "#plugins/social/x/callX.ts";
import { createUserTokens } from "#plugins/social/x/userTokens.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: however many processes come to renew the bot's token at once, a refresh token is used
// once: X revokes everything where one is used again.

const PROCESSES = 2;
const ROUNDS = 5;
const HOURS_2_MS = 7_200_000;

const config = {
	SOCIAL_BASE_URL: "https://x.invalid",
	SOCIAL_CLIENT_ID: "client",
	SOCIAL_CLIENT_SECRET: "secret",
	SOCIAL_USER_ACCESS_TOKEN: "access 0",
	SOCIAL_USER_REFRESH_TOKEN: "refresh 0",
	SESSION_SECRET: "a secret of thirty-two characters",
} as unknown as SocialConfig;

const clock = { ms: Date.UTC(2026, 10, 28), nowMs: () => clock.ms };
/** What connections of tests are called: a process of that name lives. */
const ALIVE = "tapeline test";
/** How many processes wait now for what another one gets. */
let waiting = 0;
let holders = 0;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate social.token");
	await database.db.execute("delete from core.lease");
	waiting = 0;
});

/** Hands out tokens as X does; `held` is awaited before an answer. */
function startX(held: () => Promise<void>) {
	const state = { round: 0, isRevoked: false, asked: 0 };
	const call: CallX = async ({ body }) => {
		state.asked += 1;
		const given = new URLSearchParams(body).get("refresh_token");
		state.isRevoked ||= given !== `refresh ${state.round}`;
		if (state.isRevoked) return { kind: "refused", status: 400, detail: "invalid token" };
		state.round += 1;
		const { round } = state;
		await held();
		const json = {
			...{ access_token: `access ${round}`, refresh_token: `refresh ${round}` },
			expires_in: 7_200,
		};
		return { kind: "read", json, window: null };
	};
	return { state, call };
}

type Told = { session?: string; renewed?(isGood: boolean): void; wait?(): Promise<void> };

/** Opens the tokens of another process; each wait of it ends as nobody asks X any more. */
function processOf(call: CallX, { session = ALIVE, renewed = () => {}, wait }: Told = {}) {
	holders += 1;
	const core = { db: database.db, clock, log: silentLog, holder: `process ${holders}`, session };
	return createUserTokens({
		...{ core, config, askX: createAskX(call, config.SOCIAL_BASE_URL), renewed },
		wait: async () => {
			waiting += 1;
			await (wait ?? nobodyAsks)();
			waiting -= 1;
		},
	});
}

const nobodyAsks = () =>
	until(async () => {
		const held = await database.db.query(
			"select from core.lease where expires_at > clock_timestamp()",
		);
		return held.length === 0;
	}, "nobody asks X");

/** Resolves once another process waits, while nobody holds a connection of the database. */
async function anotherWaits(): Promise<void> {
	await until(() => waiting > 0, "another process waits");
	await until(async () => {
		const [row] = await database.db.query<{ open: number }>(
			`select count(*)::int4 as open from pg_stat_activity
				where datname = current_database() and state = 'idle in transaction'`,
		);
		return row?.open === 0;
	}, "no transaction is open");
}

test("processes that simultaneously renew a refused token ask X once, and all get the new one", async () => {
	const x = startX(anotherWaits);
	const processes = Array.from({ length: PROCESSES }, () => processOf(x.call));
	for (let round = 0; round < ROUNDS; round += 1) {
		const got = await Promise.all(processes.map((one) => one.renew(`access ${round}`)));
		expect(got).toEqual(Array(PROCESSES).fill(`access ${round + 1}`));
	}
	expect(x.state).toEqual({ round: ROUNDS, isRevoked: false, asked: ROUNDS });
});

test("processes whose token expires ask X once, and a suspended one takes the newest", async () => {
	const x = startX(anotherWaits);
	const processes = Array.from({ length: PROCESSES }, () => processOf(x.call));
	await Promise.all(processes.map((one) => one.renew("access 0")));
	const slept = processOf(x.call);
	expect(await slept.access()).toBe("access 1");
	for (let round = 1; round < ROUNDS; round += 1) {
		clock.ms += HOURS_2_MS;
		const got = await Promise.all(processes.map((one) => one.access()));
		expect(got).toEqual(Array(PROCESSES).fill(`access ${round + 1}`));
	}
	// It still holds a token of hours ago, which X refuses.
	expect(await slept.renew("access 1")).toBe(`access ${ROUNDS}`);
	expect(x.state).toEqual({ round: ROUNDS, isRevoked: false, asked: ROUNDS });
});

test("simultaneous calls of one process ask X once, and hold no connection meanwhile", async () => {
	const x = startX(async () => {});
	const one = processOf(x.call);
	const got = await Promise.all(Array.from({ length: 20 }, () => one.renew("access 0")));
	expect(got).toEqual(Array(20).fill("access 1"));
	expect(x.state.asked).toBe(1);
	// Who comes with the token that the others just got is not given it again.
	const both = await Promise.all([one.renew("access 0"), one.renew("access 1")]);
	expect(both).toEqual(["access 1", "access 2"]);
	expect(x.state).toEqual({ round: 2, isRevoked: false, asked: 2 });
});

test("after a process ends during the request, another one asks with the same token", async () => {
	const x = startX(async () => {});
	const asking = Promise.withResolvers<void>();
	const mortal = processOf(
		() => {
			asking.resolve();
			return new Promise(() => {});
		},
		{ session: "a process that is gone" },
	);
	void mortal.renew("access 0");
	await asking.promise;
	expect(await processOf(x.call).renew("access 0")).toBe("access 1");
	expect(x.state).toEqual({ round: 1, isRevoked: false, asked: 1 });
});

test("a process that was suspended past its turn does not undo another's renewal", async () => {
	const x = startX(async () => {});
	const woken = Promise.withResolvers<void>();
	const asking = Promise.withResolvers<void>();
	const sleepy = processOf(async () => {
		asking.resolve();
		await woken.promise;
		const json = { access_token: "a late one", refresh_token: "late", expires_in: 7_200 };
		return { kind: "read", json, window: null };
	});
	const late = sleepy.renew("access 0");
	await asking.promise;
	await database.db.execute("update core.lease set expires_at = clock_timestamp()");
	const other = processOf(x.call);
	expect(await other.renew("access 0")).toBe("access 1");
	woken.resolve();
	expect(await late).toBe("access 1");
	expect(await other.renew("access 1")).toBe("access 2");
	expect(x.state).toEqual({ round: 2, isRevoked: false, asked: 2 });
});

test("no process asks again with a token whose answer was lost before its turn is over", async () => {
	const x = startX(async () => {});
	const told: boolean[] = [];
	const lossy = processOf(
		async (call) => {
			await x.call(call);
			return { kind: "unknown", detail: "a time-out" };
		},
		{ renewed: (isGood) => told.push(isGood) },
	);
	await expect(lossy.renew("access 0")).rejects.toMatchObject({ code: "social_unavailable" });
	expect(told).toEqual([false]);
	const other = processOf(x.call, { wait: async () => {} });
	await expect(other.renew("access 0")).rejects.toMatchObject({ code: "social_unavailable" });
	expect(x.state.asked).toBe(1);
	// Then it is asked for once more; X knows whether that token was used.
	await database.db.execute("update core.lease set expires_at = clock_timestamp()");
	await expect(other.renew("access 0")).rejects.toMatchObject({ code: "social_token_refused" });
	expect(x.state).toMatchObject({ asked: 2, round: 1 });
	expect(await database.db.query("select from social.token")).toEqual([]);
});
