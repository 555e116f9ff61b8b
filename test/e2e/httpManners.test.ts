import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Hex } from "viem";
import { sessionToken } from "#plugins/wallets/session/createSessions.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: every route of the service treats its query, conditional headers and codings alike,
// and says what is wrong with them; a private answer is never compressed or cached.

const ADMIN_KEY = "a-key-of-operators-in-this-test";
const CHAIN_ID = 31_337;
const TURNS_MAX = 20;
let anvil: Anvil;
let service: TestService;
let cats: Hex;
let dogs: Hex;
let token: string;

beforeAll(async () => {
	anvil = await startAnvil();
	const chain = await fixturesOn(anvil);
	cats = await chain.deploy("Plain721", ["Cats", 0n]);
	dogs = await chain.deploy("Plain721", ["Dogs", 0n]);
	for (let id = 1; id <= 30; id += 1) {
		await chain.call("Plain721", cats, "mint", [cats, 1n]);
		await chain.call("Plain721", dogs, "mint", [dogs, 1n]);
	}
	service = await startTestService({ chain: anvil, env: { ADMIN_API_KEY: ADMIN_KEY } });
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
	token = await openSession();
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

/** Called with an invalid token: a valid one would end the session that other tests use. */
const SIGN_OUT = "/v1/trading/session";

function newToken(): string {
	return sessionToken.create((count) => crypto.getRandomValues(new Uint8Array(count)));
}

async function openSession(): Promise<string> {
	const { db } = service.database;
	const nowMs = Date.now();
	const { profile, wallet } = await insertPerson(db, { chainId: CHAIN_ID, nowMs });
	const made = newToken();
	await db.execute("update wallets.profile set canonical_wallet_id = $2 where id = $1", [
		profile.id,
		wallet.id,
	]);
	await db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values ($1, $2, $3, $4, $4, $5)`,
		[
			Bun.randomUUIDv7(),
			sessionToken.hash(made, undefined),
			profile.id,
			new Date(nowMs),
			new Date(nowMs + 3_600_000),
		],
	);
	return made;
}

type Parameter = { name: string; in: string };
type Route = { method: string; path: string; names: string[] };

const values: Record<string, () => string> = {
	slug: () => cats,
	chain: () => "anvil",
	contract: () => cats,
	tokenId: () => "1",
	address: () => cats,
	profileId: () => crypto.randomUUID(),
	key: () => "kill:all",
	code: () => "not_found",
	id: () => crypto.randomUUID(),
	token: () => Buffer.alloc(32, 7).toString("base64url"),
};

async function routes(): Promise<Route[]> {
	const { body } = await service.get("/openapi/json");
	return Object.entries<Record<string, { parameters?: Parameter[] }>>(body.paths).flatMap(
		([path, item]) =>
			Object.entries(item).map(([method, { parameters = [] }]) => ({
				method: method.toUpperCase(),
				path: path.replace(/\{(\w+)\}/g, (_, name) => values[name]?.() ?? "1"),
				names: parameters.flatMap((one) => (one.in === "query" ? one.name : [])),
			})),
	);
}

let asked = 0;
async function ask(
	path: string,
	{ method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
	const hasBody = method === "POST" || method === "PUT";
	const response = await fetch(`${service.url}${path}`, {
		method,
		decompress: false,
		headers: {
			authorization: `Bearer ${path === SIGN_OUT ? newToken() : token}`,
			"x-api-key": ADMIN_KEY,
			"x-admin-actor": "tester",
			"x-forwarded-for": `10.8.${(asked >> 8) & 255}.${asked++ & 255}`,
			"accept-encoding": "identity",
			...(hasBody && { "content-type": "application/json" }),
			// Chat tells errors as sentences to who names no JSON.
			...(hasBody && { accept: "application/json, text/event-stream" }),
			...headers,
		},
		...(hasBody && { body: "{}" }),
	});
	const bytes = Buffer.from(await response.bytes());
	const isJson = response.headers.get("content-type")?.includes("json") === true;
	const isPlain = !response.headers.has("content-encoding") && bytes.byteLength > 0;
	return {
		status: response.status,
		headers: response.headers,
		bytes,
		body: isJson && isPlain ? JSON.parse(bytes.toString()) : null,
	};
}

test("every route refuses an unknown query parameter, and names the similar known one", async () => {
	const all = await routes();
	expect(all.length).toBeGreaterThan(40);
	let named = 0;
	for (const { method, path, names } of all) {
		const [known] = names;
		const wrong = known === undefined || known.length < 3 ? "surprise" : `${known}x`;
		const answer = await ask(`${path}?${wrong}=1`, { method });
		expect({ method, path, status: answer.status, code: answer.body?.code }).toEqual({
			method,
			path,
			status: 422,
			code: "validation_error",
		});
		const issue = answer.body.issues.find((one: { path: string }) => one.path === wrong);
		expect({ path, issue }).toMatchObject({ path, issue: { path: wrong } });
		if (wrong === "surprise") continue;
		named += 1;
		expect(issue.message).toContain(`did you mean ${known}?`);
		expect(answer.body.detail).toContain(wrong);
	}
	expect(named).toBeGreaterThan(10);
});

test("a stream also refuses an unknown parameter, before it is opened", async () => {
	for (const path of ["/discover/stream", `/collections/${cats}/stream`]) {
		const headers = {
			connection: "Upgrade",
			upgrade: "websocket",
			"sec-websocket-version": "13",
			"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
		};
		for (const [query, message] of [
			["chian=anvil", "is not a known parameter; did you mean chain?"],
			["chain=anvil&chain=anvil", "is given more than once"],
		]) {
			const { status, body } = await ask(`/v1/nft-market${path}?${query}`, { headers });
			expect({ status, issues: body.issues }).toEqual({
				status: 422,
				issues: [{ path: query?.split("=")[0], message }],
			});
		}
	}
});

test("a repeated parameter is reported as such, on every route", async () => {
	let seen = 0;
	for (const { method, path, names } of await routes()) {
		for (const name of names) {
			const { status, body } = await ask(`${path}?${name}=1&${name}=1`, { method });
			expect({ path, name, status }).toEqual({ path, name, status: 422 });
			expect(body.issues).toContainEqual({ path: name, message: "is given more than once" });
			seen += 1;
		}
	}
	expect(seen).toBeGreaterThan(40);
});

const back = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
const reads = [
	"/collections",
	"/collections?chain=anvil&mode=new",
	"/discover",
	"/trending",
	"/drops",
	"/search?q=cats",
	"/reveals",
	...[
		"",
		"/activity",
		"/sales",
		"/candles",
		"/listings",
		"/offers",
		"/depth",
		"/holders",
		"/traits",
	].map((tail) => `/collections/CATS${tail}`),
];
const pathOf = (read: string) => `/v1/nft-market${read.replace("CATS", cats)}`;
/** Returns an answer without its own times. */
const settled = (bytes: Buffer) => bytes.toString().replace(/"(servedAt|observedAt)":"[^"]*"/g, "");

test("every read of the market has a tag, answers 304, and may be cached only with revalidation", async () => {
	for (const read of reads) {
		const first = await ask(pathOf(read));
		expect({ read, status: first.status }).toEqual({ read, status: 200 });
		expect(first.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
		expect(first.headers.get("vary")).toBe("Accept-Encoding, Origin");
		const etag = first.headers.get("etag") ?? "";
		expect(etag).toMatch(/^W\/"[0-9a-z]+"$/);
		const again = await ask(pathOf(read), { headers: { "if-none-match": etag } });
		expect({ read, status: again.status, bytes: again.bytes.byteLength }).toEqual({
			read,
			status: 304,
			bytes: 0,
		});
		expect(again.headers.get("etag")).toBe(etag);
		const other = await ask(pathOf(read), { headers: { "if-none-match": 'W/"other"' } });
		expect({ read, status: other.status }).toEqual({ read, status: 200 });
	}
});

test("a tag changes with the market: after a mint there is no 304", async () => {
	const path = pathOf("/collections/CATS/activity?limit=200");
	const before = await ask(path);
	const held = { "if-none-match": before.headers.get("etag") ?? "" };
	expect((await ask(path, { headers: held })).status).toBe(304);
	const chain = await fixturesOn(anvil);
	for (const id of ["31", "32", "33"]) {
		await chain.call("Plain721", cats, "mint", [cats, 1n]);
		await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
		const after = await ask(path, { headers: held });
		expect(after.status).toBe(200);
		expect(after.body.data[0].tokenId).toBe(id);
		held["if-none-match"] = after.headers.get("etag") ?? "";
		expect((await ask(path, { headers: held })).status).toBe(304);
	}
});

/** Returns two answers of the same state: a page may have expired in between, so it tries again. */
async function askTwice(path: string, init: Parameters<typeof ask>[1]) {
	for (let turn = 0; ; turn++) {
		const plain = await ask(path);
		const got = await ask(path, init);
		const isSame = plain.headers.get("etag") === got.headers.get("etag");
		if (isSame || turn === TURNS_MAX) return [plain, got] as const;
	}
}

test("every read of the market is sent in the requested coding, with the same content", async () => {
	for (const read of reads) {
		for (const coding of ["gzip", "br", "zstd"] as const) {
			const headers = { "accept-encoding": `${coding}, identity;q=0` };
			const [plain, got] = await askTwice(pathOf(read), { headers });
			expect({ read, coding, told: got.headers.get("content-encoding") }).toEqual({
				read,
				coding,
				told: coding,
			});
			expect(settled(back[coding](got.bytes))).toBe(settled(plain.bytes));
			expect(got.headers.get("etag")).toBe(plain.headers.get("etag"));
		}
		const refused = await ask(pathOf(read), { headers: { "accept-encoding": "identity;q=0" } });
		expect([refused.status, refused.body?.code]).toEqual([406, "not_acceptable"]);
	}
});

test("HEAD has the headers of GET, and a range request gets the complete answer", async () => {
	for (const read of reads) {
		const [plain, head] = await askTwice(pathOf(read), { method: "HEAD" });
		expect({ read, status: head.status, bytes: head.bytes.byteLength }).toEqual({
			read,
			status: 200,
			bytes: 0,
		});
		for (const name of ["content-length", "content-type", "etag", "vary", "cache-control"]) {
			expect([read, name, head.headers.get(name)]).toEqual([read, name, plain.headers.get(name)]);
		}
		const part = await ask(pathOf(read), { headers: { range: "bytes=0-9" } });
		expect([read, part.status, part.headers.get("content-range")]).toEqual([read, 200, null]);
		expect(part.bytes.byteLength).toBe(plain.bytes.byteLength);
	}
});

// Guarantee (BREACH): a secret and a stranger's words are never compressed together.
test("only the market's reads and the document are compressed, tagged or cached", async () => {
	const own = new Set(reads.map((read) => pathOf(read).split("?")[0]));
	own.add(`/v1/nft-market/assets/anvil/${cats}/1`);
	for (const tail of ["", "/activity", "/result"])
		own.add(`/v1/nft-market/accounts/${cats}${tail}`);
	for (const tail of ["history", "tokens"]) own.add(`/v1/nft-market/collections/${cats}/${tail}`);
	own.add(`/v1/nft-market/assets/anvil/${cats}/1/activity`).add("/v1/nft-market/activity");
	const others = (await routes()).filter(({ method, path }) => method !== "GET" || !own.has(path));
	const pages = ["/links/abc", "/openapi", "/v1/nowhere", "/v1/nft-market/trover"];
	const all = [...others, ...pages.map((path) => ({ method: "GET", path }))];
	expect(all.length).toBeGreaterThan(25);
	for (const { method, path } of all) {
		const { headers } = await ask(path, { method, headers: { "accept-encoding": "gzip, br" } });
		expect([method, path, headers.get("content-encoding"), headers.get("etag")]).toEqual([
			method,
			path,
			null,
			null,
		]);
	}
	const document = await ask("/openapi/json", { headers: { "accept-encoding": "gzip" } });
	expect(document.headers.get("content-encoding")).toBe("gzip");
});

test("a cursor works in its own list only, and an empty one gives the first page", async () => {
	const list = `/v1/nft-market/collections/${cats}/activity`;
	const first = await ask(`${list}?limit=5&cursor=`);
	expect(first.body.data).toHaveLength(5);
	const cursor = first.body.page.nextCursor;
	const next = await ask(`${list}?limit=7&cursor=${cursor}`);
	expect([next.status, next.body.data.length]).toEqual([200, 7]);
	const others = [
		`/v1/nft-market/collections/${dogs}/activity?cursor=${cursor}`,
		`${list}?type=mint&cursor=${cursor}`,
		`/v1/nft-market/collections/${cats}/sales?cursor=${cursor}`,
		`/v1/nft-market/collections/${cats}/candles?cursor=${cursor}`,
		`/v1/nft-market/drops?cursor=${cursor}`,
		`/v1/nft-market/intents?cursor=${cursor}`,
		`/v1/trading/wallet-transfers?cursor=${cursor}`,
		`/v1/trading/intents?cursor=${cursor}`,
	];
	for (const path of others) {
		const { status, body } = await ask(path);
		expect({ path, status, code: body.code }).toEqual({
			path,
			status: 422,
			code: "cursor_mismatch",
		});
		expect(body.issues[0].path).toBe("cursor");
	}
});
