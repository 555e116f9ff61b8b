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
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(() => database.db.execute("truncate social.token"));

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

function processOf(call: CallX) {
	const core = { db: database.db, clock, log: silentLog };
	return createUserTokens({
		...{ core, config, askX: createAskX(call, config.SOCIAL_BASE_URL) },
		renewed() {},
	});
}

/** Resolves once so many others wait for the lock of whoever is asking X. */
const othersWait = (count: number) => () =>
	until(async () => {
		const [row] = await database.db.query<{ waiting: number }>(
			`select count(*)::int4 as waiting from pg_locks
			where locktype = 'advisory' and not granted
				and database = (select oid from pg_database where datname = current_database())`,
		);
		return (row?.waiting ?? 0) >= count;
	}, `${count} processes wait for the lock`);

test("processes that renew a refused token at once ask X once, and all have the new one", async () => {
	const x = startX(othersWait(PROCESSES - 1));
	const processes = Array.from({ length: PROCESSES }, () => processOf(x.call));
	for (let round = 0; round < ROUNDS; round += 1) {
		const got = await Promise.all(processes.map((one) => one.renew(`access ${round}`)));
		expect(got).toEqual(Array(PROCESSES).fill(`access ${round + 1}`));
	}
	expect(x.state).toEqual({ round: ROUNDS, isRevoked: false, asked: ROUNDS });
});

test("processes whose token runs out at once ask X once, and one that slept takes the newest", async () => {
	const x = startX(othersWait(PROCESSES - 1));
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

test("a process that ends while it asks leaves the lock to another one, which asks with the same token", async () => {
	let ends = 0;
	const x = startX(async () => {});
	const mortal = processOf(async () => {
		ends += 1;
		throw new Error("the process ends");
	});
	await expect(mortal.renew("access 0")).rejects.toThrow("the process ends");
	expect(await processOf(x.call).renew("access 0")).toBe("access 1");
	expect([ends, x.state.asked]).toEqual([1, 1]);
});
