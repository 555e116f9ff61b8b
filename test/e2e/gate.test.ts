import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { rawConnection } from "#core/http/testing/rawConnection.ts";
import { silentLog } from "#core/log.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: no request gets past the gate by a short host, by another spelling of a path, or by an
// invented address.

const PAGE = "/v1/nft-market/trending?chain=anvil&limit=1";
const ALLOWANCE = 600;

let database: TestDatabase;
/** The service behind an edge proxy on this machine, as by default. */
let edged: TestService;
/** The service whose only trusted proxy is elsewhere, so that the test is a direct client. */
let direct: TestService;
const hints: unknown[] = [];

beforeAll(async () => {
	database = await createTestDatabase();
	const warn = (message: string, about?: unknown) => {
		if (message.includes("TRUSTED_PROXIES")) hints.push(about);
	};
	edged = await startTestService({ database });
	direct = await startTestService({
		database,
		log: { ...silentLog, warn },
		env: { ROLE: "api", TRUSTED_PROXIES: "203.0.113.0/24" },
	});
});
afterAll(async () => {
	await edged?.stop();
	await direct?.stop();
	await database?.drop();
});

type Asking = { method?: string; target: string; host?: string; from?: string; rest?: string };

async function askAll(service: TestService, all: readonly Asking[]) {
	const connection = rawConnection(Number(new URL(service.url).port));
	const answers = [];
	for (const { method = "GET", target, host = "localhost", from, rest = "\r\n" } of all) {
		const forwarded = from === undefined ? "" : `X-Forwarded-For: ${from}\r\n`;
		const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${forwarded}`;
		answers.push(await connection.ask(`${head}${rest}`));
	}
	connection.close();
	return answers;
}

const times = (count: number, asking: (index: number) => Asking) =>
	Array.from({ length: count }, (_, index) => asking(index));

function statuses(answers: Awaited<ReturnType<typeof askAll>>) {
	const counts = new Map<number, number>();
	for (const answer of answers) {
		const status = answer?.status ?? 0;
		counts.set(status, (counts.get(status) ?? 0) + 1);
	}
	return Object.fromEntries(counts);
}

test("[SEC-02] 600 requests a minute by the address that the proxy forwards, or the socket's own", async () => {
	// Entries left of the edge's own are invented, and the host changes nothing.
	const hosts = ["localhost", "x", "ab", "abc", "[::1]", "EXAMPLE.com"];
	const asFar = times(ALLOWANCE, (index) => ({
		target: PAGE,
		host: hosts[index % hosts.length] ?? "x",
		from: `198.51.100.${index % 256}, 203.0.113.7`,
	}));
	expect(statuses(await askAll(edged, asFar))).toEqual({ 200: ALLOWANCE });
	const [refused, other] = await askAll(edged, [
		{ target: PAGE, host: "x", from: "203.0.113.7" },
		{ target: PAGE, host: "x", from: "203.0.113.8" },
	]);
	expect([refused?.status, other?.status]).toEqual([429, 200]);
	const problem = z
		.object({ provider: z.literal("svc"), retryAfterMs: z.number(), message: z.string() })
		.parse(JSON.parse(refused?.body ?? ""));
	expect(problem.retryAfterMs).toBeGreaterThan(0);
	expect(problem.retryAfterMs).toBeLessThanOrEqual(60_000);
	const seconds = Math.ceil(problem.retryAfterMs / 1_000);
	expect(problem.message).toContain(`retry in ${seconds} second`);
	expect(refused?.headers["retry-after"]).toBe(String(seconds));

	// A direct client is identified by its own address, whatever it writes in headers.
	const invented = times(800, (index) => ({
		target: PAGE,
		from: `10.${index >> 8}.0.${index & 255}`,
	}));
	expect(statuses(await askAll(direct, invented))).toEqual({ 200: ALLOWANCE, 429: 200 });
	const [silent] = await askAll(direct, [{ target: PAGE }]);
	expect(silent?.status).toBe(429);
	expect(hints).toEqual([{ sender: "127.0.0.1" }]);
	const metrics = await (await fetch(`${direct.url}/metrics`)).text();
	expect(metrics).toContain("tapeline_http_forwarded_refused_total 800");
});

const bypasses: [host: string, prefix: string][] = [
	["localhost", ""],
	["x", ""],
	["x", "/aa"],
	["ab", "/a"],
	["abc", "/"],
	["x y", "/aaaaa"],
	["u@x", ""],
	["a:b", ""],
	["[::1", ""],
];
const bodies: [type: string, body: string][] = [
	["application/json", "[".repeat(200_000)],
	["application/json", `{"a":${'{"a":'.repeat(100_000)}`],
	["application/json", " ".repeat(1_100_000)],
	["application/x-www-form-urlencoded", "amount=1&recipients[]=0x1"],
	[
		"multipart/form-data; boundary=x",
		'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
	],
	["text/plain", '{"amount":"1"}'],
];
const moneyRoutes = [
	"/v1/nft-market/buys",
	"/v1/nft-market/offers",
	"/v1/trading/wallet-transfers",
	"/v1/trading/enrollment",
	"/v1/links/1",
];

// Guarantee: no form of another site, and no unbounded JSON, is accepted as a money POST, at any
// spelling.
test("a body that is no JSON of ordinary size and depth is refused at every money route, for every host", async () => {
	const all = moneyRoutes.flatMap((route, at) =>
		bypasses.flatMap(([host, prefix], way) =>
			bodies.map(([type, body]) => ({
				method: "POST",
				target: `${prefix}${route}`,
				host,
				from: `198.18.${at}.${way}`,
				rest: `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
			})),
		),
	);
	const answers = await askAll(edged, all);
	for (const [index, answer] of answers.entries()) {
		const { target, host } = all[index] ?? {};
		const isRefused = [400, 404, 413, 415].includes(answer?.status ?? 0);
		expect({ target, host, status: answer?.status, isRefused }).toMatchObject({ isRefused: true });
	}
	// Only requests to paths without a route did not count against the allowance.
	const unpaid = answers.filter((answer) => !answer?.headers["ratelimit-limit"]);
	expect(unpaid.every((answer) => answer?.status === 404)).toBe(true);
});
