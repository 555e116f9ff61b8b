import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bytesToHex } from "viem";
import { HOUR_MS } from "#core/time.ts";
import { insertPerson, type Person } from "#plugins/wallets/testing/insertPerson.ts";
import { startTcpProxy, type TcpProxy } from "#test/harness/proxies.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: payments that are stuck are seen from outside: by /readyz, which stays 200, by
// /metrics, and in the operators' list with the action that frees them.

const ADMIN_KEY = "a-key-of-operators-in-this-test";
const CHAIN_ID = 31_337;
let proxy: TcpProxy;
let database: TestDatabase;
let service: TestService;
let person: Person;
const clock = { ms: Date.now(), nowMs: () => clock.ms };
const intentId = Bun.randomUUIDv7();

beforeAll(async () => {
	database = await createTestDatabase();
	proxy = await startTcpProxy(database.connectionString);
	service = await startTestService({
		database,
		clock,
		env: { DATABASE_URL: proxy.connectionString, ADMIN_API_KEY: ADMIN_KEY, ROLE: "api" },
	});
	person = await insertPerson(database.db, { chainId: CHAIN_ID, nowMs: clock.ms });
});

afterAll(async () => {
	await proxy?.restore();
	await service?.stop();
	await proxy?.stop();
	await database?.drop();
});

async function insertDropped(): Promise<void> {
	const { profile, wallet } = person;
	const at = new Date(clock.ms - HOUR_MS);
	await database.db.execute(
		`insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
			request, settings, created_at, changed_at, expires_at)
		values ($1, 'transfer', $2, $3, ${CHAIN_ID}, 'api', 'uncertain', '{}', '{}', $4, $4, $4)`,
		[intentId, profile.id, wallet.id, at],
	);
	await database.db.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state, nonce,
			transaction_hash, created_at, sent_at)
		values ($1, $2, 0, $3, ${CHAIN_ID}, $4, 'dropped', 3, $5, $6, $6)`,
		[
			Bun.randomUUIDv7(),
			intentId,
			wallet.id,
			Buffer.from(wallet.address.slice(2), "hex"),
			Buffer.alloc(32, 7),
			at,
		],
	);
}

test("readyz lists what is degraded, since when and what to do, names no user, and stays 200", async () => {
	expect((await service.get("/readyz")).body.degraded).toEqual([]);
	await insertDropped();
	clock.ms += 10_000;
	const { status, body } = await service.get("/readyz");
	expect([status, body.status]).toEqual([200, "ready"]);
	const [found, ...others] = body.degraded;
	expect(others).toEqual([]);
	expect(found).toMatchObject({ component: "wallets", code: "intents_dropped", count: 1 });
	expect(found.oldestAgeSeconds).toBe(HOUR_MS / 1_000 + 10);
	expect(found.action).toContain("callOff");
	const { wallet, profile } = person;
	for (const secret of [intentId, wallet.id, profile.id, wallet.address.slice(2)]) {
		expect(JSON.stringify(body)).not.toContain(secret);
	}
});

test("only operators see the stuck intent, its reason and what it waits for", async () => {
	const url = `${service.url}/v1/admin/trading/intents`;
	expect((await fetch(url)).status).toBe(401);
	const headers = { "x-api-key": ADMIN_KEY, "x-admin-actor": "tester" };
	const answer = await fetch(url, { headers });
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("no-store");
	expect(await answer.json()).toMatchObject({
		intents: [
			{
				...{ id: intentId, reason: "dropped", nonce: 3, sender: person.wallet.address },
				transactionHash: bytesToHex(Buffer.alloc(32, 7)),
				cancellation: null,
				waitsFor: expect.stringContaining("nonce"),
			},
		],
		hasMore: false,
	});
});

test("every metric that an alert rule names is in /metrics", async () => {
	const readme = readFileSync(
		join(import.meta.dir, "../../plugins/wallets/OPERATIONS.md"),
		"utf8",
	).split("\n## Alerts\n")[1];
	const named = new Set(readme?.match(/\btapeline_[a-z_]+/g));
	expect(named.size).toBeGreaterThan(12);
	const figures = await (await fetch(`${service.url}/metrics`)).text();
	const typeOf = (name: string) => figures.split(`# TYPE ${name} `)[1]?.split("\n")[0] ?? "none";
	for (const name of named) {
		expect([name, /^(gauge|counter)$/.test(typeOf(name))]).toEqual([name, true]);
	}
	const ours = figures.match(/(?<=# TYPE )tapeline_(wallets|audit_(newest|verified|sealing))_\S+/g);
	for (const name of ours ?? []) expect([name, named.has(name)]).toEqual([name, true]);
});

test("a service without its database is not ready, and reports nothing as degraded", async () => {
	await proxy.cut();
	clock.ms += 10_000;
	const { status, body } = await service.get("/readyz");
	expect([status, body.code]).toEqual([503, "not_ready"]);
	expect(body.degraded).toBeUndefined();
	expect(body.components).toContainEqual({
		...{ name: "database", ready: false, detail: "does not answer" },
	});
});
