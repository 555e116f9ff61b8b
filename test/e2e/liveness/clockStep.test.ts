import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: of four processes one may have any clock: nothing ends by it, nothing is deleted, it
// takes no jobs, says so, and goes on answering requests.

const CHAIN_ID = 31_337;
let anvil: Anvil;
let database: TestDatabase;
let wrong: TestService;
const right: TestService[] = [];
let offMs = 0;

beforeAll(async () => {
	anvil = await startAnvil();
	database = await createTestDatabase();
	wrong = await start("all", { nowMs: () => Date.now() + offMs });
	for (const role of ["api", "worker", "worker"]) right.push(await start(role));
	await fill();
});
afterAll(async () => {
	offMs = 0;
	for (const service of [wrong, ...right]) await service?.stop();
	await database?.drop();
	await anvil?.stop();
});

function start(role: string, machineClock?: { nowMs(): number }): Promise<TestService> {
	return startTestService({
		...{ database, chain: anvil, scanFrom: null, ...(machineClock && { machineClock }) },
		env: {
			ROLE: role,
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			PLUGINS: join(import.meta.dir, "../kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
		},
	});
}

/** Rows that a clock could end: each has ten minutes or more by the database's time. */
async function fill(): Promise<void> {
	const { db } = database;
	const { profile, wallet } = await insertPerson(db, { chainId: CHAIN_ID, nowMs: Date.now() });
	const intent = async (status: string) => {
		const id = Bun.randomUUIDv7();
		await db.execute(
			`insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
				request, settings, plan_hash, created_at, changed_at, expires_at)
			values ($1, 'transfer', $2, $3, ${CHAIN_ID}, 'api', $4, '{}', '{}', $5, now(), now(),
				now() + interval '10 minutes')`,
			[id, profile.id, wallet.id, status, Buffer.alloc(32, 9)],
		);
		return id;
	};
	const asked = await intent("confirmation_required");
	await intent("signature_required");
	// What an owner's own wallet told, and no node has seen yet: half an hour is waited for it.
	for (let index = 0; index < 6; index++) {
		await db.execute(
			`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
				transaction_hash, created_at, sent_at)
			values ($1, $2, 0, $3, ${CHAIN_ID}, $4, 'sent', $5, now(), now())`,
			[
				Bun.randomUUIDv7(),
				await intent("submitted"),
				wallet.id,
				Buffer.from(wallet.address.slice(2), "hex"),
				Buffer.alloc(32, index + 1),
			],
		);
	}
	await db.execute(
		`insert into wallets.link
			(token_hash, intent_id, purpose, plan_hash, created_at, expires_at)
		values ($1, $2, 'confirm', $3, now(), now() + interval '10 minutes')`,
		[Buffer.alloc(32, 3), asked, Buffer.alloc(32, 9)],
	);
	await db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		select gen_random_uuid(), sha256(n::text::bytea), $1, now(), now(), now() + interval '7 days'
		from generate_series(1, 28) as n`,
		[profile.id],
	);
	await db.execute(
		"insert into wallets.siwe_nonce (nonce, expires_at) values ('n', now() + interval '10 minutes')",
	);
	await db.execute("insert into core.stream_frame values ('kept', 1, 1, now(), '[]')");
}

/** What must be as it was; not when it is looked at again. */
async function held(): Promise<unknown> {
	const { db } = database;
	return {
		intents: await db.query("select id, status from wallets.intent order by id"),
		submissions: await db.query("select id, state, final_at from wallets.submission order by id"),
		links: await db.query("select used_at, expires_at from wallets.link"),
		sessions: await db.query("select id, revoked_at from wallets.session order by id"),
		nonces: await db.query("select nonce from wallets.siwe_nonce"),
		frames: await db.query("select topic from core.stream_frame"),
	};
}

async function ticks(): Promise<Map<string, number>> {
	const rows = await database.db.query<{ name: string; at: Date }>(
		"select name, tick_at as at from core.schedule_tick where name like 'wallets.%'",
	);
	return new Map(rows.map(({ name, at }) => [name, at.getTime()]));
}

const degraded = async (service: TestService): Promise<{ code: string }[]> =>
	(await service.get("/readyz")).body.degraded;
const isOff = async () => (await degraded(wrong)).some(({ code }) => code === "clock_off");

for (const jumpMs of [HOUR_MS, 25 * HOUR_MS, 8 * DAY_MS]) {
	for (const sign of [1, -1]) {
		test(`a clock jump of ${(sign * jumpMs) / HOUR_MS} h in one of four processes ends no payment`, async () => {
			const before = await held();
			offMs = sign * jumpMs;
			const jobs = wrong.host.jobs.filter(({ name }) => name.startsWith("wallets."));
			// A job that it had already taken when its clock jumped.
			for (const job of jobs) await job.run({ signal: AbortSignal.timeout(job.timeoutMs) });
			await until(isOff, "the process says that its clock is off");
			expect((await wrong.get("/readyz")).body).toMatchObject({
				status: "ready",
				degraded: expect.arrayContaining([
					{
						...{ component: "core", code: "clock_off", count: 1 },
						oldestAgeSeconds: expect.any(Number),
						action: expect.stringContaining(`${(sign * jumpMs) / 1_000} s`),
					},
				]),
			});
			for (const service of right) {
				expect(await degraded(service)).not.toContainEqual(
					expect.objectContaining({ code: "clock_off" }),
				);
			}
			// The others go on, by the database's time.
			const from = await ticks();
			await until(async () => {
				const now = await ticks();
				return ["wallets.reconcile", "wallets.take-up"].every(
					(name) => (now.get(name) ?? 0) > (from.get(name) ?? 0) + 1_000,
				);
			}, "the other processes run the jobs that move money");
			for (const [name, atMs] of await ticks()) {
				expect([name, Math.abs(atMs - Date.now()) < MINUTE_MS]).toEqual([name, true]);
			}
			expect(await held()).toEqual(before);
			offMs = 0;
			await until(async () => !(await isOff()), "the clock is right again");
		});
	}
}

test("a process that starts with a wrong clock uses the database's time as well", async () => {
	offMs = 8 * DAY_MS;
	const before = await held();
	const late = await start("worker", { nowMs: () => Date.now() + offMs });
	try {
		expect(Math.abs(late.core.clock.nowMs() - Date.now())).toBeLessThan(MINUTE_MS);
		expect((await degraded(late)).map(({ code }) => code)).toContain("clock_off");
		for (const job of late.host.jobs) {
			if (!job.name.startsWith("wallets.")) continue;
			await job.run({ signal: AbortSignal.timeout(job.timeoutMs) });
		}
		expect(await held()).toEqual(before);
	} finally {
		offMs = 0;
		await late.stop();
	}
});
