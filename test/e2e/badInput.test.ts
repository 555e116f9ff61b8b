import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: whatever a stranger sends, the answer is a problem document that says what is wrong:
// never a 500, never an empty 200, and nothing about the service's internals.

let anvil: Anvil;
let service: TestService;
let plain: Hex;

beforeAll(async () => {
	anvil = await startAnvil();
	const chain = await fixturesOn(anvil);
	plain = await chain.deploy("Plain721", ["Plain", 0n]);
	await chain.call("Plain721", plain, "mint", [plain, 1n]);
	service = await startTestService({
		chain: anvil,
		env: { WEB_ALLOWED_ORIGINS: "https://app.example.com" },
	});
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

const market = "/v1/nft-market";
const bad: [path: () => string, status: number, code: string][] = [
	[() => `${market}/collections?chain=nowhere`, 422, "validation_error"],
	[() => `${market}/collections?chain=base`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&mode=best`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&limit=0`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&limit=201`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&limit=1e2`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&limit=`, 422, "validation_error"],
	[() => `${market}/collections?chain=anvil&scope=galaxy`, 422, "validation_error"],
	[() => `${market}/collections/no-such-thing?chain=anvil`, 404, "not_found"],
	[() => `${market}/collections/0x1234?chain=anvil`, 404, "not_found"],
	[() => `${market}/collections/${"a".repeat(5_000)}?chain=anvil`, 422, "validation_error"],
	[() => `${market}/collections/${plain}?chain=ethereum`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/candles?interval=2h`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/candles?interval=1h&before=soon`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/candles?interval=1h&limit=501`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/activity?cursor=!`, 422, "validation_error"],
	[
		() => `${market}/collections/${plain}/activity?cursor=bm90IGEgY3Vyc29y`,
		422,
		"validation_error",
	],
	[() => `${market}/collections/${plain}/activity?limit=-1`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/sales?range=2h`, 422, "validation_error"],
	[
		() => `${market}/collections/${plain}/activity?type=mint&venue=seaport`,
		422,
		"validation_error",
	],
	[() => `${market}/collections/${plain}/sales?view=points&tokenId=1`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/tokens?minRank=9&maxRank=8`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/tokens?owner=somebody`, 422, "validation_error"],
	[() => `${market}/collections/${plain}/listings?traits=Hat`, 422, "validation_error"],
	[() => `${market}/assets/anvil/${plain}/1/activity?block=latest`, 422, "validation_error"],
	[() => `${market}/activity?after=2126-01-01T00:00:00Z`, 422, "validation_error"],
	[() => `${market}/activity?type=cancelled&cursor=abc`, 422, "validation_error"],
	[() => `${market}/collections/nobody/candles?chain=anvil`, 404, "not_found"],
	[() => `${market}/trending?window=3h`, 422, "validation_error"],
	[() => `${market}/trending?lifecycle=dead`, 422, "validation_error"],
	[() => `${market}/discover?limit=many`, 422, "validation_error"],
	[() => `${market}/accounts/me`, 422, "validation_error"],
	[() => `${market}/accounts/0x${"00".repeat(20)}/result`, 422, "validation_error"],
	[
		() => `${market}/accounts/${plain}/activity?before=2999-01-01T00:00:00Z`,
		422,
		"validation_error",
	],
	[() => `${market}/accounts/${plain}/activity?type=stolen`, 422, "validation_error"],
	[() => `${market}/accounts/${plain}?slug=nobody`, 404, "not_found"],
	[() => `${market}/trover`, 404, "not_found"],
	[() => `${market}/nothing`, 404, "not_found"],
	[() => "/v2/anything", 404, "not_found"],
];

describe("[SEC-04] every error has the same shape", () => {
	for (const [path, status, code] of bad) {
		test(`${path().replace("undefined", "0x…").slice(0, 90)} is ${status} ${code}`, async () => {
			const answer = await service.get(path());
			expect(answer.status).toBe(status);
			expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
			const { body } = answer;
			expect(body).toMatchObject({ status, code });
			for (const member of ["type", "title", "detail", "message", "requestId"]) {
				expect(body[member]).toBeString();
				expect(body[member]).not.toBe("");
			}
			expect(body.message).toBe(body.detail);
			if (status === 422) expect(body.issues[0]).toHaveProperty("path");
			expect(JSON.stringify(body)).not.toMatch(/select |\/work\/|node_modules|at \w+ \(/);
		});
	}
});

test("no route accepts a body that names a member twice, in any spelling and at any depth", async () => {
	const { body } = await service.get<{ paths: Record<string, object> }>("/openapi/json");
	const taking = Object.entries(body.paths).flatMap(([path, item]) =>
		Object.entries(item).flatMap(([method, { requestBody }]) =>
			requestBody ? [{ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, "1") }] : [],
		),
	);
	expect(taking.length).toBeGreaterThan(9);
	const texts = ['{"amount":"1","\\u0061mount":"2"}', '{"a":[{"amount":1,"amount":1}]}'];
	for (const { method, path } of taking) {
		for (const text of texts) {
			const headers = { "content-type": "application/json", accept: "application/json" };
			const answer = await fetch(`${service.url}${path}`, { method, headers, body: text });
			expect(answer.headers.get("content-type")).toBe("application/problem+json");
			expect({ path, ...((await answer.json()) as object) }).toMatchObject({
				path,
				status: 400,
				code: "malformed_body",
				detail: 'The body names "amount" more than once.',
			});
		}
	}
});

test("[API-19] the removed route answers 404", async () => {
	const { status, body } = await service.get(`${market}/trover`);
	expect([status, body.code]).toEqual([404, "not_found"]);
});

test("[SEC-02] each client has 600 requests a minute, and the 601st gets the time to retry", async () => {
	const ask = (client: string) =>
		fetch(`${service.url}${market}/trending?chain=anvil&limit=1`, {
			// Entries left of the proxy's own are invented by the client.
			headers: { "x-forwarded-for": `${crypto.randomUUID()}, ${client}` },
		});
	const statuses = new Map<number, number>();
	for (let round = 0; round < 12; round++) {
		const answers = await Promise.all(Array.from({ length: 50 }, () => ask("203.0.113.7")));
		for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}
	expect([...statuses]).toEqual([[200, 600]]);
	const refused = await ask("203.0.113.7");
	expect(refused.status).toBe(429);
	const body: any = await refused.json();
	expect(body).toMatchObject({ provider: "svc", status: 429 });
	expect(body.retryAfterMs).toBeGreaterThan(0);
	expect(body.retryAfterMs).toBeLessThanOrEqual(60_000);
	expect(body.message).toContain("limit");
	expect(body.message).toContain(String(Math.ceil(body.retryAfterMs / 1_000)));
	expect(Number(refused.headers.get("retry-after"))).toBe(Math.ceil(body.retryAfterMs / 1_000));
	expect((await ask("203.0.113.8")).status).toBe(200);
});

test("[SEC-03] only listed origins may call with credentials; any page may read public routes", async () => {
	const ask = (origin: string, path = "/v1/trading/profile") =>
		fetch(`${service.url}${path}`, {
			headers: { origin, "x-forwarded-for": "198.51.100.9" },
		});
	const allowed = await ask("https://app.example.com");
	expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
	for (const origin of [
		"https://evil.example",
		"https://app.example.com.evil.example",
		"https://evil-app.example.com",
		"http://app.example.com",
		"https://app.example.com:8443",
		"null",
	]) {
		const answer = await ask(origin);
		expect(answer.headers.get("access-control-allow-origin")).toBeNull();
		expect(answer.headers.get("vary")).toContain("Origin");
		const trending = await ask(origin, `${market}/trending?chain=anvil&limit=1`);
		expect(trending.headers.get("access-control-allow-origin")).toBe("*");
		expect(trending.headers.get("access-control-allow-credentials")).toBeNull();
		expect(trending.headers.get("vary")).toContain("Origin");
	}
});

test("[API-18] freshness shows the sale lane's progress, on the list and on trending", async () => {
	for (const path of [`${market}/collections?chain=anvil`, `${market}/trending?chain=anvil`]) {
		const { body } = await service.get(path);
		const head = Number(await anvil.rpc<Hex>("eth_blockNumber"));
		expect(body.freshness).toMatchObject({
			chain: "anvil",
			headBlock: head,
			indexedBlock: head,
			lagBlocks: 0,
		});
		for (const key of ["indexedAt", "servedAt"]) {
			expect(Date.parse(body.freshness[key])).toBeGreaterThan(0);
		}
		// Without a provider no list could have been read.
		expect(body.freshness.listRefreshedAt).toBeNull();
	}
});
