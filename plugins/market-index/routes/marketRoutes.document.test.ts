import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApiDocument } from "#core/http/openApi.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { createMarketFixture, ethereum } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/** The market's routes as the specification names them, and those that we added. */
const ROUTES = [
	"GET /accounts/{address}",
	"GET /accounts/{address}/activity",
	"GET /accounts/{address}/result",
	"GET /activity",
	"GET /assets/{chain}/{contract}/{tokenId}",
	"GET /assets/{chain}/{contract}/{tokenId}/activity",
	"GET /collections",
	"GET /collections/{slug}",
	"GET /collections/{slug}/activity",
	"GET /collections/{slug}/candles",
	"GET /collections/{slug}/depth",
	"GET /collections/{slug}/history",
	"GET /collections/{slug}/holders",
	"GET /collections/{slug}/listings",
	"GET /collections/{slug}/offers",
	"GET /collections/{slug}/sales",
	"GET /collections/{slug}/tokens",
	"GET /collections/{slug}/traits",
	"GET /discover",
	"GET /drops",
	"GET /search",
	"GET /trending",
	"POST /collections/{slug}/resync",
	"POST /quote-estimate",
];

let database: TestDatabase;
let operations: Map<string, any>;
let schemas: Record<string, any>;
let responses: Record<string, any>;
beforeAll(async () => {
	database = await createTestDatabase();
	const routes = [marketRoutes(createMarketFixture(database.db, [ethereum]))];
	const { paths, components } = openApiDocument({
		app: testHttpApp({ routes }),
		version: "1",
		sandbox: false,
	});
	({ schemas, responses } = components);
	operations = new Map(
		Object.entries(paths).flatMap(([path, item]) => {
			const [, rest] = path.split("/v1/nft-market");
			if (rest === undefined) return [];
			return Object.entries(Object(item)).map(([method, told]) => {
				return [`${method.toUpperCase()} ${rest}`, told] as const;
			});
		}),
	);
});
afterAll(() => database.drop());

test("the document has every route of the market", () => {
	expect([...operations.keys()].sort()).toEqual([...ROUTES].sort());
});

test("each route documents its purpose, input, answers and refusals, with examples", () => {
	for (const [route, told] of operations) {
		expect([route, told.summary?.length > 0, told.description?.length > 0]).toEqual([
			route,
			true,
			true,
		]);
		const { default: problem, ...answers } = told.responses;
		expect(problem.content).toHaveProperty(["application/problem+json", "schema", "$ref"]);
		for (const [status, answer] of Object.entries<any>(answers)) {
			if (status === "304") {
				expect([route, answer.content, Object.keys(answer.headers)]).toEqual([
					route,
					undefined,
					["etag"],
				]);
				expect(answers[200].headers).toHaveProperty("content-encoding");
				continue;
			}
			if (!status.startsWith("2")) {
				const shared = answer.$ref?.split("/").at(-1);
				const { content } = shared ? responses[shared] : answer;
				const told = JSON.stringify(content["application/problem+json"].schema);
				expect([route, status, /"enum":\["[a-z_]+"/.test(told)]).toEqual([route, status, true]);
				continue;
			}
			const { schema, example } = answer.content["application/json"];
			const named = schemas[schema.$ref.split("/").at(-1)];
			expect([route, Object.keys(named.properties).sort()]).toEqual([
				route,
				Object.keys(example).sort(),
			]);
		}
		const named = Object.keys(answers).filter((status) => !status.startsWith("2"));
		expect([route, named]).toEqual([route, expect.arrayContaining(["422", "429", "500"])]);
		if (route.includes(":slug")) expect(named).toContain("404");
		const isPost = route.startsWith("POST /quote");
		expect([route, told.requestBody !== undefined]).toEqual([route, isPost]);
		for (const { name, schema } of told.parameters ?? []) {
			expect([route, name, Object.keys(schema).length > 0]).toEqual([route, name, true]);
		}
	}
});
