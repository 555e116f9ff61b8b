import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "#api/client/createClient.ts";
import { makeClients } from "#test/e2e/documents/makeClients.ts";
import { custodyEnv } from "#test/e2e/documents/startTradingService.ts";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import type { TestService } from "#test/harness/startTestService.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

// Guarantee: from the document alone a stranger's program gets a typed client that compiles in
// strict mode and does against a running service what its types say.

const SLUG = "kiln-folk";
/** Enough for a busy machine. */
const LIMIT_MS = 2 * TEST_LIMIT_MS;

let lab: MarketLab;
let custody: CustodyEmulator;
let api: TestService;
let document: any;
const folder = mkdtempSync(join(realpathSync(tmpdir()), "tapeline-clients-"));

beforeAll(async () => {
	lab = await openMarketLab({ only: [SLUG] });
	await lab.runJob("discovery");
	await lab.drainQueue();
	custody = await startCustodyEmulator({ rpcUrl: lab.sandbox.httpUrl });
	({ api } = await lab.openApi({ env: custodyEnv(custody) }));
	document = await (await fetch(`${api.url}/openapi/json`)).json();
});
afterAll(async () => {
	await lab?.close();
	await custody?.stop();
	rmSync(folder, { recursive: true, force: true });
});

async function costOf(url: string): Promise<unknown> {
	const response = await fetch(`${url}/v1/nft-market/quote-estimate`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ slug: SLUG, chain: "anvil", quantity: 1 }),
	});
	const { price }: any = await response.json();
	return price?.native ?? null;
}

/**
 * Routes that the document leaves out: pages for people, the documents themselves, and a protocol
 * that describes itself.
 */
const HIDDEN = new Set([
	"GET /openapi",
	"GET /docs",
	"GET /openapi.json",
	"GET /openapi/json",
	"GET /asyncapi/json",
	"GET /openapi/assets/:file",
	"GET /links/:token",
	"GET /links/assets/:file",
	"POST /v1/agent/mcp",
]);

test(
	"[API-21] every route has schemas, examples and codes; a page shows them; typed clients call them",
	async () => {
		// Every route is there, with its input and output, an example, and the codes of its refusals.
		const mounted = lab.service.host.routes
			.concat(api.host.routes)
			.flatMap(({ router }) => router.history.map(({ method, path }) => `${method} ${path}`));
		const shown = Object.entries<any>(document.paths).flatMap(([path, item]) =>
			Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
		);
		const missing = new Set(mounted).difference(HIDDEN);
		for (const route of missing) {
			const [method = "", path = ""] = route.split(" ");
			if (method === "WS") continue;
			expect(shown).toContain(`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
		}
		expect(shown.length).toBeGreaterThan(45);
		for (const [path, item] of Object.entries<any>(document.paths)) {
			for (const [method, { responses, requestBody }] of Object.entries<any>(item)) {
				const [[status, good] = ["", null]] = Object.entries<any>(responses).filter(([one]) =>
					/^2/.test(one),
				);
				const bodies = [requestBody, status === "204" ? undefined : good].filter(Boolean);
				for (const { content } of bodies) {
					const [media] = Object.values<any>(content);
					const isWhole = media.schema !== undefined && media.example !== undefined;
					expect([method, path, isWhole]).toEqual([method, path, true]);
				}
				const codes = JSON.stringify([responses, document.components.responses]);
				expect([method, path, codes.includes('"enum":["internal_error"]')]).toEqual([
					method,
					path,
					true,
				]);
			}
		}

		// The page that shows the document.
		const page = await fetch(`${api.url}/openapi`);
		expect(page.headers.get("content-type")).toStartWith("text/html");
		expect(await page.text()).toContain("/openapi/assets/start.js");

		// The clients: this repository's own, and two made by public generators.
		const own = await createClient(api.url).v1["nft-market"].collections.get({
			query: { mode: "top" },
		});
		expect(own.data?.normalized[0]?.slug).toBe(SLUG);
		const [openapiFetch = "", heyApi = ""] = await makeClients(JSON.stringify(document), folder);
		const token = () => custody.token({ userId: custody.person("ada").id });
		// Both have to see the same: on a slow machine the first would come before the price is read.
		await until(async () => (await costOf(api.url)) !== null, "a quote has a price");
		const first = await (await import(openapiFetch)).use(api.url, token());
		const second = await (await import(heyApi)).use(api.url, token());
		expect(first).toMatchObject({
			slug: SLUG,
			floor: expect.any(Number),
			owners: expect.any(Number),
			refused: { status: 404, code: "not_found" },
			transfer: { httpStatus: 202, status: expect.any(String), amount: "0.01" },
			signedOut: 204,
		});
		expect(first.sales).toHaveLength(3);
		expect(second).toEqual(first);
	},
	LIMIT_MS,
);
