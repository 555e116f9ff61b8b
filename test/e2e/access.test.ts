import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionToken } from "#plugins/wallets/session/createSessions.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: whatever a plugin adds, access is decided before the request is judged: market reads
// are open, a person's own data needs their session, and an operator's route needs the key.
// `operatorChanges.test.ts` proves that each change by an operator is recorded.

const KEY = "a-key-of-operators-in-this-test";
const MARKET = "/v1/nft-market/";
const ADMIN = "/v1/admin/";

type Operation = { method: string; path: string; security: string[] };

let service: TestService;
let all: Operation[];
let session: string;
let asked = 0;

beforeAll(async () => {
	service = await startTestService({ env: { ADMIN_API_KEY: KEY } });
	const { body } = await service.get("/openapi/json");
	all = Object.entries<any>(body.paths).flatMap(([path, item]) =>
		Object.entries<any>(item).map(([method, { security = [] }]) => {
			// An empty choice means that the route also answers without credentials.
			const isOpen = security.some((one: object) => Object.keys(one).length === 0);
			const names = isOpen ? [] : security.flatMap((one: object) => Object.keys(one));
			return { method: method.toUpperCase(), path, security: names };
		}),
	);
	session = await openSession();
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
});

async function openSession(): Promise<string> {
	const { db } = service.core;
	const { profile } = await insertPerson(db, { chainId: 31_337, nowMs: Date.now() });
	const token = sessionToken.create((count) => crypto.getRandomValues(new Uint8Array(count)));
	const at = new Date();
	await db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values ($1, $2, $3, $4, $4, $5)`,
		[
			...[Bun.randomUUIDv7(), sessionToken.hash(token, undefined), profile.id, at],
			new Date(at.getTime() + 3_600_000),
		],
	);
	return token;
}

/** Sends a request that no schema accepts: an invented id and a wrong body. */
async function ask(
	{ method, path }: Operation,
	headers: Record<string, string> = {},
	body: unknown = "nonsense",
) {
	const filled = path.replace(/\{(\w+)\}/g, (_, name) => (name === "chain" ? "anvil" : "nothing"));
	// Each request comes from an address of its own, so that no rate limit answers in place of the
	// route.
	const from = `10.7.${asked >> 8}.${asked++ & 255}`;
	const response = await fetch(`${service.url}${filled}`, {
		method,
		headers: {
			"x-forwarded-for": from,
			...(method !== "GET" && { "content-type": "application/json" }),
			...headers,
		},
		...(method !== "GET" && { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	return { status: response.status, text, headers: response.headers };
}

/** Open reads that are kept from other pages: a process's own state, and secrets in an address. */
const KEPT_FROM_PAGES = [
	"GET /healthz",
	"GET /metrics",
	"GET /readyz",
	"GET /v1/links/{token}",
	"GET /v1/links/{token}/outcome",
	"GET /v1/social/webhook",
];
/** Questions that are sent as a body. */
const ASKED_BY_BODY = ["POST /v1/agent/command", "POST /v1/nft-market/quote-estimate"];
const FOREIGN = "https://page.example";

test("a page of any origin can read public routes, and their errors, and nothing else", async () => {
	const readable: string[] = [];
	const wanted = all.filter(({ method, security }) => method === "GET" && security.length === 0);
	for (const operation of all) {
		const cookie = { cookie: "session=of-its-visitor", origin: FOREIGN };
		const { headers, status } = await ask(operation, cookie);
		const allowed = headers.get("access-control-allow-origin");
		expect([named(operation), headers.get("access-control-allow-credentials")]).toEqual([
			named(operation),
			null,
		]);
		expect([named(operation), headers.get("vary")]).toEqual([
			named(operation),
			expect.stringContaining("Origin"),
		]);
		if (allowed === "*") readable.push(named(operation));
		else expect([named(operation), allowed]).toEqual([named(operation), null]);
		// A cookie of its visitor is refused where something could be done by it.
		const isOwn = operation.method !== "GET" && allowed !== "*";
		if (isOwn) expect([named(operation), status]).toEqual([named(operation), 403]);
	}
	const names = wanted.map(named).filter((name) => !KEPT_FROM_PAGES.includes(name));
	expect(names.length).toBeGreaterThan(20);
	expect(readable.toSorted()).toEqual([...names, ...ASKED_BY_BODY].toSorted());
});

// A distribution may have a program of that name which only says where the browser is to be had.
const browser = ["chromium", "chromium-browser", "google-chrome"]
	.flatMap((name) => Bun.which(name) ?? [])
	.find((path) => Bun.spawnSync([path, "--version"], { stderr: "ignore" }).exitCode === 0);
const testInBrowser = skipWithReason(
	browser === undefined ? "no chromium is installed (apt-get install chromium)" : null,
);

/** Plain JavaScript, as somebody writes it who has nothing but a page and the service's address. */
const page = (url: string) => `<!doctype html><title>a page of another origin</title><script>
const told = (value) => fetch("/told", { method: "POST", body: JSON.stringify(value) });
const why = (error) => error.name;
(async () => {
	const trending = await fetch("${url}/v1/nft-market/trending").then((answer) => answer.json());
	const nobody = await fetch("${url}/v1/nft-market/collections/nobody");
	const refused = await nobody.json();
	const mine = await fetch("${url}/v1/trading/profile", { credentials: "include" }).catch(why);
	const socket = new WebSocket("${url.replace("http", "ws")}/v1/nft-market/discover/stream");
	const frame = await new Promise((resolve) => {
		socket.onmessage = ({ data }) => resolve(JSON.parse(data).type);
		socket.onclose = ({ code }) => resolve(code);
	});
	const rows = Array.isArray(trending.rows);
	await told({ origin: location.origin, rows, code: refused.code, mine, frame });
})().catch((error) => told({ error: String(error) }));
</script>`;

testInBrowser("a browser on a page of another origin reads trending and a stream", async () => {
	const { promise: told, resolve } = Promise.withResolvers<Record<string, unknown>>();
	const foreign = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			if (request.method !== "POST") {
				return new Response(page(service.url), { headers: { "content-type": "text/html" } });
			}
			resolve((await request.json()) as Record<string, unknown>);
			return new Response();
		},
	});
	const home = mkdtempSync(join(tmpdir(), "tapeline-browser-"));
	const origin = `http://localhost:${foreign.port}`;
	const quiet = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"];
	const flags = [...quiet, "--disable-dev-shm-usage", `--user-data-dir=${home}`];
	const child = Bun.spawn([browser ?? "", ...flags, origin], {
		stdout: "ignore",
		stderr: "ignore",
	});
	try {
		const ended = child.exited.then((code) => ({ error: `the browser ended with ${code}` }));
		expect(await Promise.race([told, ended])).toEqual({
			...{ origin, rows: true, code: "not_found", frame: "hello" },
			// What needs a session, no such page reads.
			mine: "TypeError",
		});
	} finally {
		child.kill("SIGKILL");
		await child.exited;
		await foreign.stop(true);
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
});

test("a page of any origin can read a 404, and send a preflight before it posts", async () => {
	const origin = { origin: FOREIGN, "x-forwarded-for": "10.8.0.1" };
	const unknown = await fetch(`${service.url}/v1/nft-market/trendign`, { headers: origin });
	expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
	const preflight = (path: string) =>
		fetch(`${service.url}${path}`, {
			method: "OPTIONS",
			headers: { ...origin, "access-control-request-method": "POST" },
		});
	const asked = await preflight("/v1/agent/command");
	expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
	expect(asked.headers.get("access-control-allow-headers")).not.toContain("authorization");
	for (const path of [
		"/v1/agent/chat",
		"/v1/agent/mcp",
		"/v1/trading/siwe/nonce",
		"/v1/trading/intents",
	]) {
		expect([path, (await preflight(path)).status]).toEqual([path, 403]);
	}
});

test("a page of any origin can open a public stream", async () => {
	const url = `${service.url.replace("http", "ws")}${MARKET}discover/stream?chain=anvil`;
	const headers = { origin: FOREIGN, cookie: "session=of-its-visitor" };
	const socket = new WebSocket(url, { headers } as unknown as string[]);
	const { promise: first, resolve, reject } = Promise.withResolvers<unknown>();
	socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
	socket.onclose = ({ code }) => reject(new RangeError(`closed with ${code}`));
	expect(await first).toMatchObject({ type: "hello" });
	socket.onclose = null;
	socket.close();
});

/** Answers 204 to every caller, signed in or not. */
const SIGN_OUT = "DELETE /v1/trading/session";
/**
 * Bodies of routes that validate before they authenticate: their schema is public, and they move no
 * money.
 */
const bodies: Record<string, unknown> = {
	"POST /v1/trading/profile": { requireTradeConfirmation: true },
	"POST /v1/trading/enrollment": {},
};

const named = ({ method, path }: Operation) => `${method} ${path}`;
const isAdmin = ({ path }: Operation) => path.startsWith(ADMIN);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const WRONG = sessionToken.create((count) => new Uint8Array(count));

test("[SEC-01] market reads answer every caller", async () => {
	const reads = all.filter(({ method, path, security }) => {
		return method === "GET" && path.startsWith(MARKET) && security.length === 0;
	});
	expect(reads.length).toBeGreaterThan(10);
	for (const read of reads) {
		for (const headers of [{}, bearer(WRONG)]) {
			const { status } = await ask(read, headers);
			expect([named(read), status === 401 || status === 403]).toEqual([named(read), false]);
		}
	}
});

test("[SEC-01] a person's own data, snipes included, requires their session", async () => {
	const own = all.filter((one) => one.security.includes("session") && named(one) !== SIGN_OUT);
	expect(own.filter(({ path }) => path.startsWith(`${MARKET}snipes`)).length).toBeGreaterThan(5);
	expect(own.length).toBeGreaterThan(20);
	for (const operation of own) {
		for (const headers of [{}, bearer(WRONG), { "x-api-key": KEY }]) {
			const { status } = await ask(operation, headers, bodies[named(operation)]);
			expect([named(operation), status]).toEqual([named(operation), 401]);
		}
		const { status } = await ask(operation, bearer(session));
		expect([named(operation), status]).not.toEqual([named(operation), 401]);
	}
});

test("[SEC-01] every admin route requires the key, even from a signed-in caller, before anything is read", async () => {
	const admin = all.filter(isAdmin);
	expect(admin.length).toBeGreaterThan(3);
	for (const operation of admin) {
		expect([named(operation), operation.security]).toEqual([named(operation), ["admin"]]);
		for (const headers of [{}, { "x-api-key": "wrong" }, bearer(session), bearer(KEY)]) {
			const { status, text } = await ask(operation, headers);
			expect([named(operation), status]).toEqual([named(operation), 401]);
			expect(text).not.toContain("issues");
		}
		const { status } = await ask(operation, { "x-api-key": KEY });
		expect([named(operation), status]).not.toEqual([named(operation), 401]);
	}
	expect(all.filter(({ security }) => security.includes("admin")).map(named)).toEqual(
		admin.map(named),
	);
});

/** The routes of trading and wallets in the specification, without those of operators. */
const TRADING_ROUTES = [
	...["GET /v1/trading/settings", "GET /v1/trading/profile", "POST /v1/trading/profile"],
	...["DELETE /v1/trading/profile/social", "DELETE /v1/trading/profile/wallets/{id}"],
	...["POST /v1/trading/enrollment", "POST /v1/trading/siwe/nonce", "POST /v1/trading/siwe/verify"],
	...["GET /v1/trading/intents", "POST /v1/trading/intents"],
	...["POST /v1/trading/intents/{id}/confirm", "GET /v1/trading/holdings", "GET /v1/stock-tokens"],
	"POST /v1/trading/wallet-transfers",
];
/** Routes that answer without a session. Enrolment asks for the wallet provider's own token. */
const TRADING_OPEN = new Map([
	["GET /v1/trading/settings", 200],
	["GET /v1/stock-tokens", 200],
	["POST /v1/trading/enrollment", 401],
	["POST /v1/trading/siwe/nonce", 200],
	["POST /v1/trading/siwe/verify", 422],
]);

test("[TRD-01] trading requires a session, except for settings, registry, enrolment and signing in", async () => {
	const there = all.filter((one) => TRADING_ROUTES.includes(named(one)));
	expect(there.map(named).sort()).toEqual([...TRADING_ROUTES].sort());
	for (const operation of there) {
		const name = named(operation);
		const body = name === "POST /v1/trading/siwe/nonce" ? {} : (bodies[name] ?? "nonsense");
		const { status, text } = await ask(operation, {}, body);
		expect([name, status]).toEqual([name, TRADING_OPEN.get(name) ?? 401]);
		if (!TRADING_OPEN.has(name)) expect(JSON.parse(text).code).toBe("unauthorized");
	}
});

test("[TRD-12] operators change settings by key, and see registry, intents and treasury", async () => {
	const key = { "x-api-key": KEY, "x-admin-actor": "olga" };
	const get = (path: string) => ask({ method: "GET", path, security: [] }, key);
	for (const path of ["stock-tokens", "trading/intents", "treasury", "trading/settings"]) {
		const { status, text } = await get(`${ADMIN}${path}`);
		expect([path, status]).toEqual([path, 200]);
		expect(JSON.parse(text)).toBeObject();
	}
	const put = (name: string, value: unknown) => {
		return ask({ method: "PUT", path: `${ADMIN}trading/settings/${name}`, security: [] }, key, {
			value,
		});
	};
	expect((await put("enforce_min_liquidity", true)).status).toBe(200);
	const listed = JSON.parse((await get(`${ADMIN}trading/settings`)).text);
	expect(listed.settings).toContainEqual({
		...{ key: "enforce_min_liquidity", value: true, changedBy: "operator:olga" },
		changedAt: expect.any(String),
	});
	expect((await put("enforce_min_liquidity", "perhaps")).status).toBe(422);
	expect((await put("no_such_setting", true)).status).toBe(422);
});
