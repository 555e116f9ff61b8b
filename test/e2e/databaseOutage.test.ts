import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Client } from "pg";
import { privateKeyToAccount } from "viem/accounts";
import { sessionToken } from "#plugins/wallets/session/createSessions.ts";
import { renderSiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { insertPerson, type Person } from "#plugins/wallets/testing/insertPerson.ts";
import { startTcpProxy, type TcpProxy } from "#test/harness/proxies.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a failure of our database is reported as ours, never as the caller's mistake; and no
// caller is told that nothing was done where something may have been.

const ADMIN_KEY = "a-key-of-operators-in-this-test";
const CHAIN_ID = 31_337;
/**
 * Enough that none of them meets a limit, and few enough that the operators among them are known.
 */
const CLIENTS = 16;
let asked = 0;
const MESSAGES_MAX = 40;

let proxy: TcpProxy;
let database: TestDatabase;
let service: TestService;
let person: Person;
let intentId: string;
const token = newToken();

beforeAll(async () => {
	database = await createTestDatabase();
	proxy = await startTcpProxy(database.connectionString);
	service = await startTestService({
		database,
		env: {
			DATABASE_URL: proxy.connectionString,
			ADMIN_API_KEY: ADMIN_KEY,
			SOCIAL_WEBHOOK_SECRET: "a-secret-of-the-webhook",
		},
	});
	person = await insertPerson(database.db, { chainId: CHAIN_ID, nowMs: Date.now() });
	const { profile, wallet } = person;
	await database.db.execute("update wallets.profile set canonical_wallet_id = $2 where id = $1", [
		profile.id,
		wallet.id,
	]);
	await openSession();
	const made = await ask({ method: "POST", path: "/v1/nft-market/buys" });
	intentId = made.body.id;
	expect([made.status, typeof intentId]).toEqual([201, "string"]);
	await ask({ method: "PUT", path: "/v1/admin/trading/attestations/{profileId}" });
});

beforeEach(async () => {
	await proxy.restore();
	await administer(`alter database ${name()} with allow_connections true`);
	await administer(`alter database ${name()} reset default_transaction_read_only`);
});

afterAll(async () => {
	await proxy?.restore();
	await service?.stop();
	await proxy?.stop();
	await database?.drop();
});

/** Signing out is called with an invalid token, so that the other sessions stay. */
const SIGN_OUT = "DELETE /v1/trading/session";

function newToken(): string {
	return sessionToken.create((count) => crypto.getRandomValues(new Uint8Array(count)));
}

async function openSession(): Promise<void> {
	const at = new Date();
	const until = new Date(at.getTime() + 3_600_000);
	await database.db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values ($1, $2, $3, $4, $4, $5)`,
		[Bun.randomUUIDv7(), sessionToken.hash(token, undefined), person.profile.id, at, until],
	);
}

type Route = { method: string; path: string };
/** Query parameters that a route requires; unknown ones would be refused. */
const queries: Record<string, string> = {
	"/v1/nft-market/search": "?q=cats&chain=anvil",
	"/v1/social/webhook": "?crc_token=x",
	"/v1/bridges/currencies": "?chainId=31337",
	"/v1/bridges/balances": "?chainId=31337",
};
type Answer = { status: number; headers: Headers; text: string; body: any };

const contract = `0x${"c0".repeat(20)}`;
/** Bodies that pass the schemas, by route. */
const bodies: Record<string, () => unknown> = {
	"POST /v1/nft-market/quote-estimate": () => ({ slug: "cats", chain: "anvil" }),
	"POST /v1/trading/profile": () => ({ requireTradeConfirmation: true }),
	"POST /v1/trading/enrollment": () => ({}),
	"POST /v1/trading/siwe/verify": () => ({ message: signInMessage(), signature: "0x00" }),
	"PUT /v1/admin/trading/settings/{key}": () => ({ value: false }),
	"POST /v1/admin/trading/intents/{id}/resolve": () => ({ abandon: true }),
	"POST /v1/admin/stock-tokens/{address}/review": () => ({ decision: "refuse" }),
	"PUT /v1/admin/stock-tokens/{address}/feed": () => ({ feed: null }),
	"PUT /v1/admin/trading/attestations/{profileId}": () => ({ country: "DE" }),
	"PUT /v1/admin/contracts/manifest": () => {
		return { chainId: 10, version: 0, token: contract, owner: contract };
	},
	"POST /v1/links/{token}": () => ({ planHash: `0x${"00".repeat(32)}` }),
	"POST /v1/links": () => ({ intentId }),
	"POST /v1/trading/wallet-transfers": () => ({
		fromWalletId: person.wallet.id,
		recipients: [`0x${"a1".repeat(20)}`],
		amount: "0.01",
	}),
	"POST /v1/trading/intents": () => ({ command: "hold ZZZZ" }),
	"POST /v1/trading/quotes": () => ({ command: "buy ZZZZ with 1 USDG" }),
	"POST /v1/trading/intents/{id}/confirm": () => ({}),
	"POST /v1/nft-market/buys": () => ({ contract, tokenId: "1", maxPriceNative: "0.1" }),
	"POST /v1/agent/command": () => ({ text: "trending" }),
	"POST /v1/agent/chat": () => ({
		messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "trending" }] }],
	}),
	"POST /v1/bridges/intents": () => ({ command: "bridge 1 eth from anvil to robinhood" }),
	"POST /v1/bridges/intents/{id}/step-results": () => ({ transactionHash: `0x${"5d".repeat(32)}` }),
	"POST /v1/bridges/intents/{id}/sdk-result": () => ({ transactionHash: `0x${"5d".repeat(32)}` }),
	"PUT /v1/bridges/preferences/{chainId}": () => ({ recipient: `0x${"a1".repeat(20)}` }),
	"PUT /v1/admin/bridge-chains/{chainId}": () => ({ enabled: true }),
	"PUT /v1/admin/bridge-chains/{chainId}/contracts": () => ({
		...{ role: "solver", address: `0x${"b2".repeat(20)}` },
	}),
	"POST /v1/admin/bridges/{id}/accept": () => ({
		...{ transactionHash: `0x${"5d".repeat(32)}`, amountRaw: "7" },
		currency: `0x${"a1".repeat(20)}`,
	}),
	"POST /v1/nft-market/offers": () => ({ contract, tokenId: "1", priceNative: "0.1" }),
};

/** Returns a message that is right in all but its nonce, which is looked up in the database. */
function signInMessage(): string {
	return renderSiweMessage({
		scheme: null,
		domain: new URL(service.url).host,
		address: privateKeyToAccount(`0x${"11".repeat(32)}`).address,
		statement: null,
		uri: service.url,
		version: "1",
		chainId: 4_663,
		nonce: "a".repeat(24),
		issuedAt: new Date().toISOString(),
		expirationTime: null,
		notBefore: null,
		requestId: null,
		resources: null,
	});
}

const params: Record<string, () => string> = {
	slug: () => "cats",
	chain: () => "anvil",
	chainId: () => "31337",
	contract: () => contract,
	address: () => contract,
	profileId: () => person.profile.id,
	tokenId: () => "1",
	key: () => "kill:all",
	code: () => "not_found",
	id: () => intentId ?? crypto.randomUUID(),
	token: () => Buffer.alloc(32, 7).toString("base64url"),
};

const name = () => new Client({ connectionString: database.connectionString }).database ?? "";
const THROW_OUT = `select pg_terminate_backend(pid) from pg_stat_activity
	where datname = $1 and pid <> pg_backend_pid()`;

/** Runs a statement on a connection of its own to the server's other database, which stays open. */
async function administer(statement: string, values: readonly string[] = []): Promise<void> {
	const beside = database.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, "$1postgres");
	const client = new Client({ connectionString: beside });
	await client.connect();
	try {
		await client.query(statement, [...values]);
	} finally {
		await client.end();
	}
}

async function ask(route: Route, key: string | null = null): Promise<Answer> {
	const { method, path } = route;
	const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
		encodeURIComponent(params[name]?.() ?? ""),
	);
	const query = method === "GET" ? (queries[path] ?? "") : "";
	const body = bodies[`${method} ${path}`]?.();
	const bearer = `${method} ${path}` === SIGN_OUT ? newToken() : token;
	const response = await fetch(`${service.url}${filled}${query}`, {
		method,
		headers: {
			accept: "application/json",
			authorization: `Bearer ${bearer}`,
			"x-api-key": ADMIN_KEY,
			"x-admin-actor": "tester",
			"x-forwarded-for": `10.9.0.${asked++ % CLIENTS}`,
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...(key === null ? {} : { "idempotency-key": key }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	const isJson = /json/.test(response.headers.get("content-type") ?? "");
	return {
		status: response.status,
		headers: response.headers,
		text,
		body: isJson ? JSON.parse(text) : null,
	};
}

async function routes(): Promise<Route[]> {
	const { body } = await service.get("/openapi/json");
	return Object.entries<object>(body.paths).flatMap(([path, item]) =>
		Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
	);
}

/** Routes that answer without the database, with their status. */
const WITHOUT: Record<string, number> = {
	"GET /": 200,
	"GET /problems": 200,
	"GET /problems/{code}": 200,
	"GET /healthz": 200,
	"GET /metrics": 200,
	"GET /v1/trading/settings": 200,
	"GET /v1/agent/tools": 200,
	"GET /v1/social/webhook": 200,
	"POST /v1/social/webhook": 401,
	// No credentials of X are configured here.
	"GET /v1/admin/social/connection": 503,
	"POST /v1/admin/social/webhook/subscribe": 503,
	// No bridge provider is configured here, so it has no chains.
	"GET /v1/bridges/currencies": 422,
	// Only one chain is configured here, and the body names another.
	"PUT /v1/admin/contracts/manifest": 422,
	// No wallet provider is configured here, so no person can enrol.
	"POST /v1/trading/enrollment": 401,
};

/** Routes that may be answered from a page that was made before and is still fresh. */
const MAY_BE_CACHED = new Set([
	"GET /v1/nft-market/collections",
	"GET /v1/token/economics",
	"GET /v1/token/holders/{address}/rewards",
]);

/**
 * Expects a problem document that calls the failure ours and temporary, and says when to try again.
 */
function expectOurs(name: string, { status, headers, body }: Answer): void {
	expect({ name, status, code: body?.code }).toMatchObject({ name, status: 503 });
	expect(headers.get("content-type")).toBe("application/problem+json");
	expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
	for (const member of ["type", "title", "detail", "message", "requestId"]) {
		expect(body[member]).toBeString();
	}
	expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|terminat|select |postgres/i);
}

async function statuses(): Promise<Record<string, number>> {
	const found: Record<string, number> = {};
	for (const route of await routes()) {
		found[`${route.method} ${route.path}`] = (await ask(route)).status;
	}
	return found;
}

async function expectOutage(): Promise<void> {
	for (const route of await routes()) {
		const name = `${route.method} ${route.path}`;
		const answer = await ask(route);
		const status = WITHOUT[name];
		if (MAY_BE_CACHED.has(name) && answer.status === 200) continue;
		if (status === undefined) expectOurs(name, answer);
		else expect({ name, status: answer.status }).toEqual({ name, status });
	}
	expect((await fetch(`${service.url}/openapi`)).status).toBe(200);
}

test("while the database is away every route that needs it says so, and all come back", async () => {
	const before = await statuses();
	expect(Object.keys(before).length).toBeGreaterThan(40);
	expect(Object.values(before).filter((status) => status >= 500)).toEqual([503, 503, 503]);
	await proxy.cut();
	await expectOutage();
	await proxy.restore();
	expect<Record<string, number>>(await statuses()).toEqual(before);
});

/** Routes that write in this test: the other POSTs are refused by what they read. */
const WRITES = new Set([
	"POST /v1/trading/profile",
	"DELETE /v1/trading/profile/social",
	"DELETE /v1/trading/profile/wallets/{id}",
	"POST /v1/trading/siwe/nonce",
	"POST /v1/trading/siwe/verify",
	"DELETE /v1/trading/session",
	"PUT /v1/admin/trading/settings/{key}",
	"POST /v1/admin/stock-tokens/{address}/review",
	"PUT /v1/admin/stock-tokens/{address}/feed",
	"PUT /v1/admin/trading/attestations/{profileId}",
	"POST /v1/trading/wallet-transfers",
	"POST /v1/trading/intents",
	"POST /v1/bridges/intents",
	"PUT /v1/bridges/preferences/{chainId}",
	"DELETE /v1/bridges/preferences/{chainId}",
	"PUT /v1/admin/bridge-chains/{chainId}",
	"PUT /v1/admin/bridge-chains/{chainId}/contracts",
	"POST /v1/admin/bridges/{id}/look",
	"POST /v1/admin/bridges/{id}/accept",
	"POST /v1/admin/bridges/{id}/close",
	"POST /v1/nft-market/buys",
	"POST /v1/nft-market/offers",
	"POST /v1/nft-market/intents/{id}/cancel",
	"POST /v1/intents/stream-tickets",
]);

test("routes answer the same while the server refuses connections, and after it closed all of them", async () => {
	const before = await statuses();
	await administer(`alter database ${name()} with allow_connections false`);
	await administer(THROW_OUT, [name()]);
	await expectOutage();
	await administer(`alter database ${name()} with allow_connections true`);
	expect<Record<string, number>>(await statuses()).toEqual(before);
});

test("while the database is read-only, reads go on and writes answer 503", async () => {
	const before = await statuses();
	await administer(`alter database ${name()} set default_transaction_read_only = on`);
	await administer(THROW_OUT, [name()]);
	const found = await statuses();
	await administer(`alter database ${name()} reset default_transaction_read_only`);
	await administer(THROW_OUT, [name()]);
	for (const [name, status] of Object.entries(found)) {
		expect({ name, status }).toEqual({
			name,
			status: WRITES.has(name) ? 503 : (before[name] ?? 0),
		});
	}
	expect<Record<string, number>>(await statuses()).toEqual(before);
});

test("wherever in a request the database dies, the answer is right or says that the fault is ours", async () => {
	const before = await statuses();
	const routesTotal = Object.keys(before).length;
	let died = 0;
	for (const route of await routes()) {
		const name = `${route.method} ${route.path}`;
		for (let messages = 1; messages <= MESSAGES_MAX; messages++) {
			proxy.cutAfter(messages);
			const answer = await ask(route);
			const hasDied = proxy.isCut();
			await proxy.restore();
			if (!hasDied) break;
			died++;
			if (answer.status !== before[name]) expectOurs(`${name} at ${messages}`, answer);
		}
	}
	expect(died).toBeGreaterThan(routesTotal);
	expect<Record<string, number>>(await statuses()).toEqual(before);
});

describe("money, wherever the database dies", () => {
	for (const path of ["/v1/nft-market/buys", "/v1/trading/wallet-transfers"]) {
		test(`${path} is recorded once, and no answer says otherwise`, async () => {
			const told = new Set<string>();
			for (let messages = 1; messages <= MESSAGES_MAX; messages++) {
				const key = `${path} ${messages}`.replaceAll(" ", "#");
				proxy.cutAfter(messages);
				const first = await ask({ method: "POST", path }, key);
				const hasDied = proxy.isCut();
				if (hasDied) await abandoned();
				await proxy.restore();
				const was = await recordedUnder(key);
				if (first.status >= 400) expectOurs(`${path} at ${messages}`, first);
				const { code = "", detail = "" } = first.body;
				told.add(code);
				if (code === "database_unavailable")
					expect({ messages, was }).toEqual({ messages, was: 0 });
				if (was > 0) expect(detail).not.toMatch(/nothing was done/i);
				if (code === "outcome_unknown") expect(detail).toContain("same idempotency-key");
				const again = await ask({ method: "POST", path }, key);
				expect({ messages, status: again.status }).toEqual({ messages, status: STATUS[path] ?? 0 });
				const isReplay = again.headers.get("idempotency-replayed") === "true";
				expect({ messages, isReplay }).toEqual({ messages, isReplay: was > 0 });
				expect(await recordedUnder(key)).toBe(1);
				if (!hasDied) break;
			}
			expect([...told]).toContain("outcome_unknown");
		});
	}
});

const STATUS: Record<string, number> = {
	"/v1/nft-market/buys": 201,
	"/v1/trading/wallet-transfers": 202,
};

/** Waits until the server has finished the statements that it got before it was cut off. */
async function abandoned(): Promise<void> {
	await until(async () => {
		const rows = await database.db.query(
			`select 1 from pg_stat_activity
			where datname = current_database() and application_name <> 'tapeline test'`,
		);
		return rows.length === 0;
	}, "the server works for no connection that is gone");
}

async function recordedUnder(key: string): Promise<number> {
	const rows = await database.db.query<{ intents: number }>(
		`select count(*) as intents from wallets.idempotent_answer as a
		join wallets.intent as i on i.id = any(a.intent_ids) where a.key = $1`,
		[key],
	);
	return rows[0]?.intents ?? 0;
}
