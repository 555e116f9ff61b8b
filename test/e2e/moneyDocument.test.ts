import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { openApiDocument } from "#core/http/openApi.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { intentRoutes } from "#plugins/bridge/routes/intentRoutes.ts";
import { buyRoutes } from "#plugins/nft-buys/plugin.ts";
import { tradeRoutes } from "#plugins/trading/routes/tradeRoutes.ts";
import { transferRoutes } from "#plugins/transfers/routes.ts";
import { linkRoutes } from "#plugins/wallets/link/linkRoutes.ts";

// Guarantee: a reader of the document alone can ask for money exactly once, and knows every answer.

/** Never called here: the document is made from the routes' declarations. */
const nobody = {} as never;

/** POSTs that move nothing beyond what was asked for before. */
const MAKES_NO_INTENT = new Set([
	"/v1/links",
	"/v1/links/{token}",
	"/v1/trading/transactions",
	"/v1/trading/wallet-transfers/{id}/cancel",
	"/v1/nft-market/intents/{id}/cancel",
	"/v1/trading/intents/{id}/confirm",
	"/v1/trading/intents/{id}/cancel",
	"/v1/trading/quotes",
	// Revokes an allowance: no money moves.
	"/v1/trading/intents/{id}/revoke",
	"/v1/bridges/intents/{id}/cancel",
	"/v1/bridges/intents/{id}/requote",
	"/v1/bridges/intents/{id}/step-results",
	"/v1/bridges/intents/{id}/sdk-result",
	// Revokes an allowance: no money moves.
	"/v1/bridges/intents/{id}/revoke",
]);

const { paths, components } = openApiDocument({
	app: testHttpApp({
		routes: [
			buyRoutes({ wallets: {} } as never),
			transferRoutes({ wallets: {} } as never),
			tradeRoutes({ trades: {}, wallets: {} } as never),
			linkRoutes(nobody),
			new Elysia({ prefix: "/v1/bridges" }).use(intentRoutes(nobody)),
		],
	}),
	version: "1",
	sandbox: false,
});
type Told = {
	security?: object[];
	parameters?: { name: string; in: string }[];
	responses: Record<string, unknown>;
};
const told = (method: "get" | "post") =>
	Object.entries(paths).flatMap(([path, item]): [path: string, operation: Told][] => {
		const operation = item[method] as Told | undefined;
		return path.startsWith("/v1/") && operation ? [[path, operation]] : [];
	});
const codes = (operation: Told, status: number) => {
	const response = Object(operation.responses[status]);
	const shared =
		String(response.$ref ?? "")
			.split("/")
			.at(-1) ?? "";
	return JSON.stringify(components.responses[shared] ?? response);
};

test("every POST that can move money takes an idempotency key, and documents its failures", () => {
	const moving = told("post").filter(([path]) => !MAKES_NO_INTENT.has(path));
	expect(moving.map(([path]) => path).sort()).toEqual([
		"/v1/bridges/intents",
		"/v1/nft-market/buys",
		"/v1/nft-market/offers",
		"/v1/trading/intents",
		"/v1/trading/wallet-transfers",
	]);
	for (const [path, operation] of moving) {
		const key = operation.parameters?.find(({ name }) => name === "idempotency-key");
		expect({ path, key }).toMatchObject({ path, key: { in: "header", required: false } });
		expect(codes(operation, 401)).toContain("unauthorized");
		for (const code of ["idempotency_conflict", "request_running"]) {
			expect(codes(operation, 409)).toContain(code);
		}
		expect(codes(operation, 422)).toContain("idempotency_key_invalid");
		for (const code of ["commits_waiting", "outcome_unknown", "database_unavailable"]) {
			expect(codes(operation, 503)).toContain(code);
		}
		const made = operation.responses[201] ?? operation.responses[202];
		expect(JSON.stringify(made)).toContain("idempotency-replayed");
	}
});

test("a route with a session declares 401, and one for a single object declares 404", () => {
	const all = [...told("get"), ...told("post")];
	expect(all.length).toBeGreaterThan(8);
	for (const [path, operation] of all) {
		const isLink = path.startsWith("/v1/links/");
		const says401 = codes(operation, 401).includes("unauthorized");
		expect({ path, says401 }).toEqual({ path, says401: !isLink });
		if (path.includes("{")) {
			expect({ path, said: codes(operation, 404) }).toEqual({
				path,
				said: expect.stringContaining("not_found"),
			});
		}
	}
});

test("the routes of answering a link, requesting a link and cancelling declare their 409", () => {
	const of409 = new Map(told("post").map(([path, operation]) => [path, codes(operation, 409)]));
	expect(of409.get("/v1/links/{token}")).toContain("plan_changed");
	expect(of409.get("/v1/links/{token}")).toContain("transaction_other");
	expect(of409.get("/v1/links")).toContain("no_question");
	expect(of409.get("/v1/trading/wallet-transfers/{id}/cancel")).toContain("intent_state");
	expect(of409.get("/v1/trading/intents/{id}/confirm")).toContain("plan_changed");
	expect(of409.get("/v1/trading/intents/{id}/cancel")).toContain("intent_state");
});
