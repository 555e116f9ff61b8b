import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import asyncApiSchema from "@asyncapi/specs/schemas/3.0.0-without-$id.json";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { faultCatalogue } from "#core/fault.ts";
import { runTool } from "#test/e2e/documents/makeClients.ts";
import { startTradingService, walkSchemas } from "#test/e2e/documents/startTradingService.ts";
import { createSchemaCheck } from "#test/harness/documentChecks.ts";

// Guarantee: a reader of the documents alone knows what to send, what comes back, in which unit,
// and what each error means. An undocumented addition fails here.

type Operation = Record<string, any> & { name: string; pointer: string };

let service: Awaited<ReturnType<typeof startTradingService>>;
let openApi: any;
let asyncApi: any;
let operations: Operation[];
const folder = mkdtempSync(join(tmpdir(), "tapeline-documents-"));

beforeAll(async () => {
	service = await startTradingService();
	const read = async (path: string) => (await fetch(`${service.url}${path}`)).json();
	openApi = await read("/openapi/json");
	asyncApi = await read("/asyncapi/json");
	await Bun.write(join(folder, "openapi.json"), JSON.stringify(openApi));
	await Bun.write(join(folder, "asyncapi.json"), JSON.stringify(asyncApi));
	operations = Object.entries<any>(openApi.paths).flatMap(([path, item]) =>
		Object.entries<any>(item).map(([method, operation]) => ({
			...operation,
			name: `${method.toUpperCase()} ${path}`,
			pointer: `/paths/${path.replaceAll("/", "~1")}/${method}`,
		})),
	);
});
afterAll(async () => {
	await service?.stop();
	rmSync(folder, { recursive: true, force: true });
});

const PLUGINS = join(import.meta.dir, "../../../plugins");
/** `denied("gone", "It is gone.")`, `{ code: "gone", detail`, and `errorCode: "gone"`. */
const CODES_IN_SOURCES = [
	/\b(?:deny|denied|refuse|bad|mismatch)\(\s*"([a-z_]+)"/g,
	/"([a-z]+(?:_[a-z]+)+)",\s*"[A-Z][^"]* /g,
	/\bcode: "([a-z_]+)",\s*(?:detail|flaw)\b/g,
	/\berrorCode: "(?!error_code)([a-z_]+)"/g,
];

/** Returns a line about each thing that breaks a rule; a test expects none. */
function broken<One>(all: Iterable<One>, rule: (one: One) => string | undefined | false): string[] {
	return [...all].flatMap((one) => rule(one) || []);
}
const members = () => [...walkSchemas(openApi), ...walkSchemas(asyncApi)];

/** Finds codes in the sources of plugins that make intents: a code before its sentence. */
async function codesInSources(): Promise<Set<string>> {
	const codes = new Set<string>();
	const sources = new Bun.Glob("{wallets,nft-buys,trading,transfers,bridge,tokenomics}/**/*.ts");
	for await (const path of sources.scan({ cwd: PLUGINS })) {
		if (/\.test\.ts$|\/testing\//.test(path)) continue;
		const text = await Bun.file(join(PLUGINS, path)).text();
		for (const pattern of CODES_IN_SOURCES) {
			for (const [, code = ""] of text.matchAll(pattern)) codes.add(code);
		}
	}
	return codes;
}

describe("external linters", () => {
	test("redocly finds neither an error nor a warning in the OpenAPI document", async () => {
		const said = await runTool("@redocly/cli/bin/cli.js", ["lint", "openapi.json"], { folder });
		expect(said).toContain("Your API description is valid");
		expect(said).not.toMatch(/\d+ (warning|problem)/);
	});

	test("redocly finds neither in the AsyncAPI document, which is valid for its JSON Schema", async () => {
		// Streams are open to all callers, which AsyncAPI cannot express.
		const args = ["lint", "asyncapi.json", "--skip-rule", "security-defined"];
		const said = await runTool("@redocly/cli/bin/cli.js", args, { folder });
		expect(said).toContain("valid");
		expect(said).not.toMatch(/\d+ (warning|problem)/);
		const ajv = new Ajv({ strict: false, allErrors: true });
		addFormats.default(ajv);
		const isValid = ajv.compile(asyncApiSchema);
		expect([isValid(asyncApi), isValid.errors]).toEqual([true, null]);
	});
});

describe("operations", () => {
	test("each operation has a readable name, a description, and a documented tag", () => {
		const VERBS = new RegExp(
			"^(get|list|create|update|set|search|estimate|resync|resolve|cancel|answer|verify|receive|" +
				"unlink|enroll|signOut|pause|resume|refresh|accept|close|name)([A-Z][a-z]+){0,4}$",
		);
		const wrong = broken(operations, ({ name, operationId, summary, description, tags }) => {
			const isNamed = VERBS.test(operationId) && !/V1|Nft/.test(operationId);
			return !(isNamed && summary && description && tags?.length === 1) && `${name} ${operationId}`;
		});
		expect(wrong).toEqual([]);
		expect(openApi.tags.filter(({ description }: any) => !description)).toEqual([]);
		const ids = operations.map(({ operationId }) => operationId);
		expect(new Set(ids).size).toBe(ids.length);
	});

	test("each parameter has a description, with an example or all of its values", () => {
		const parameters = operations.flatMap(({ name, parameters = [] }) =>
			parameters.map((one: any) => ({ ...one, of: name })),
		);
		expect(parameters.length).toBeGreaterThan(80);
		const wrong = broken(parameters, ({ of, name, description, schema }) => {
			const shown = schema.examples?.length > 0 || schema.enum || name === "cursor";
			return !(description && shown) && `${of} ${name}`;
		});
		expect(wrong).toEqual([]);
	});

	test("each example of a parameter matches its pattern and its limits", () => {
		const check = createSchemaCheck(openApi);
		const examples = operations.flatMap(({ name, pointer, parameters = [] }) =>
			parameters.flatMap(({ name: of, schema }: any, index: number) =>
				(schema.examples ?? []).map((example: unknown) => {
					return { name: `${name} ${of}`, example, at: `${pointer}/parameters/${index}/schema` };
				}),
			),
		);
		expect(examples.length).toBeGreaterThan(60);
		expect(broken(examples, ({ name, at, example }: any) => check(at, example) && name)).toEqual(
			[],
		);
	});

	test("each answer and each body is a named schema with an example that fits it", () => {
		const check = createSchemaCheck(openApi);
		const bodies = operations.flatMap((operation) => {
			const { name, requestBody, responses } = operation;
			const good = Object.entries<any>(responses).filter(([status]) => status.startsWith("2"));
			return [
				...(requestBody ? [{ name: `${name} takes`, ...requestBody.content }] : []),
				...good.map(([status, { content }]) => ({ name: `${name} ${status}`, ...content })),
			];
		});
		const wrong = broken(bodies, ({ name, ...content }) => {
			const [[type, media] = ["", {}]] = Object.entries<any>(content);
			const isText = /^text\/(plain|event-stream)$/.test(type);
			if (isText || /DELETE .* 204$/.test(name)) return undefined;
			const [first] = media.schema.anyOf ?? [media.schema];
			const pointer = first?.$ref?.slice(1);
			if (type !== "application/json" || !pointer) return `${name} has no named schema`;
			if (media.example === undefined) return `${name} has no example`;
			const why = check(pointer, media.example);
			return why && `${name}: ${why}`;
		});
		expect(wrong).toEqual([]);
		expect(bodies.length).toBeGreaterThan(50);
	});

	test("each operation names its security scheme, which is documented", () => {
		const wrong = broken(operations, ({ name, security }) => {
			const names = security.flatMap((one: object) => Object.keys(one));
			const known = names.every((one: string) => openApi.components.securitySchemes[one]);
			const isAdmin = name.includes("/v1/admin/");
			return (!known || isAdmin !== names.includes("admin")) && name;
		});
		expect(wrong).toEqual([]);
		const schemes = Object.keys(openApi.components.securitySchemes).sort();
		expect(schemes).toEqual(["admin", "session"]);
	});
});

describe("members of schemas", () => {
	test("each member of a schema has a description", () => {
		const all = members();
		expect(all.length).toBeGreaterThan(450);
		expect(
			broken(all, ({ where, schema }) => !schema.description && !schema.$ref && where),
		).toEqual([]);
	});

	test("each example of a member fits its schema", () => {
		for (const document of [openApi, asyncApi]) {
			const check = createSchemaCheck(document);
			const wrong = broken(
				walkSchemas(document),
				({ where, pointer, schema }) =>
					(schema.examples ?? []).map((one: unknown) => check(pointer, one)).find(Boolean) && where,
			);
			expect(wrong).toEqual([]);
		}
	});

	test("no member has a default, which generators take for always there; words say it", () => {
		const all = members();
		expect(broken(all, ({ where, schema }) => "default" in schema && where)).toEqual([]);
		const { quantity } = openApi.components.schemas.BuyRequest.properties;
		expect(quantity).toMatchObject({ type: "integer", examples: [1] });
		expect(quantity.description).toEndWith("Unless given: `1`.");
	});

	test("each count is an integer, and any other number has a unit", () => {
		const UNIT =
			/ETH|US dollars|percent|milliseconds|from 0 to 1|`unit`|`floor_price_symbol`|`floorSymbol`|coin/;
		const wrong = broken(members(), ({ where, schema }) => {
			const types = [schema.type].flat();
			if (types.includes("integer")) return undefined;
			return types.includes("number") && !UNIT.test(schema.description) && where;
		});
		expect(wrong).toEqual([]);
	});

	test("times, addresses, hashes, links and amounts have their format", () => {
		const FORMS: [name: RegExp, isSaid: (schema: any) => boolean][] = [
			[/(At|Time)$|^at$|^since$|^coverageEnd$/, ({ format }) => format === "date-time"],
			[
				/(Url|^url|Uri)$/,
				({ format, description }) => /^uri/.test(format) || /data:/.test(description),
			],
			[
				/Hash$/,
				({ pattern, description }) => /\{64\}/.test(pattern) || /SHA-256/.test(description),
			],
			[/Raw$|^quantity$|^units$/, ({ pattern, type }) => Boolean(pattern) || type === "integer"],
			[
				/^(contractAddress|address|from|to|maker|owner|buyer|seller|sender|recipient)$/,
				({ pattern, format }) => Boolean(pattern) || format === "date-time",
			],
		];
		const isText = ({ type }: any) =>
			[type].flat().some((one) => one === "string" || one === "integer");
		const wrong = broken(members(), ({ where, name, schema, isForeign }) => {
			if (isForeign || schema.$ref || schema.enum || !isText(schema)) return undefined;
			const form = FORMS.find(([pattern]) => pattern.test(name));
			return form && !form[1](schema) && where;
		});
		expect(wrong).toEqual([]);
	});

	test("every object has a name, so generated clients have types for all of them", () => {
		const inline = [openApi, asyncApi].flatMap((document) =>
			[...walkSchemas(document)].filter(
				({ schema }) => schema.properties || schema.items?.properties,
			),
		);
		expect(inline.map(({ where }) => where)).toEqual([]);
		const { schemas } = openApi.components;
		expect(Object.entries<any>(schemas).filter(([, one]) => !one.description)).toEqual([]);
	});

	test("a figure with two names has the same description", () => {
		const { description, properties } = openApi.components.schemas.Collection;
		for (const name of ["floor", "floor_price", "volume_24h", "owners"]) {
			expect(description).toContain(`\`${name}\``);
			expect(properties[name].description).toContain("Equal to `");
		}
		expect(openApi.components.schemas.ListedTrendingRow.properties.holders.description).toContain(
			"`ownersCount`",
		);
	});
});

describe("errors", () => {
	test("each operation lists each status and code of its refusals, and how long to wait", () => {
		const wrong = broken(operations, ({ name, responses }) => {
			const { default: other, ...named } = responses;
			const statuses = Object.keys(named).filter((status) => !status.startsWith("2"));
			const isWhole = statuses.includes("400") && statuses.includes("500") && other;
			return !isWhole && name;
		});
		expect(wrong).toEqual([]);
		expect(openApi.components.responses.TooManyRequests.headers).toHaveProperty("retry-after");
	});

	test("each error code has a page with what it means and what to do", async () => {
		const text = JSON.stringify([openApi.paths, openApi.components.responses]);
		const codes = new Set(
			[...text.matchAll(/"code":\{"enum":\[([^\]]+)\]/g)].flatMap(([, list = ""]) =>
				list.split(",").map((code) => code.slice(1, -1)),
			),
		);
		expect(codes.size).toBeGreaterThan(50);
		for (const code of codes) {
			const answer = await fetch(`${service.url}/problems/${code}`);
			const { cases = [] } = await answer.json();
			expect([code, answer.status, cases.length > 0]).toEqual([code, 200, true]);
			for (const { status, meaning, advice } of cases) {
				expect([code, meaning.length > 5, advice.length > 20]).toEqual([code, true, true]);
				// The advice must not be the same generic sentence for every refusal.
				const isGeneric = advice.startsWith("Correct the request before you send it again");
				expect([code, status, isGeneric]).toEqual([code, status, false]);
			}
		}
	});

	test("the codes of intents are one enumeration, and each code of any kind has a page", async () => {
		const inDocument: string[] = openApi.components.schemas.IntentCode.enum;
		expect(inDocument.length).toBeGreaterThan(100);
		const every = new Set([...inDocument, ...faultCatalogue.all().map(({ code }) => code)]);
		for (const code of every) {
			const answer = await fetch(`${service.url}/problems/${code}`);
			const { cases = [] } = await answer.json();
			expect([code, answer.status, cases.length > 0]).toEqual([code, 200, true]);
			for (const { standsIn, meaning, advice } of cases) {
				const isGeneric = standsIn === "intent" && advice.startsWith("Correct the request");
				expect([code, meaning.length > 5, advice.length > 15, isGeneric]).toEqual([
					...[code, true, true],
					false,
				]);
			}
		}
		// Whatever stands with a sentence in the source of an intent's plugins is one of them.
		const written = await codesInSources();
		expect(written.size).toBeGreaterThan(90);
		expect([...written].filter((code) => !inDocument.includes(code))).toEqual([]);
	});

	test("whoever shows `errorCode` of an intent shows `error` with its sentence beside it", () => {
		const shown = members().filter(({ name }) => name === "errorCode");
		expect(shown.length).toBeGreaterThan(7);
		const wrong = broken(shown, ({ where, schema }) => {
			const of = openApi.components.schemas[where.split(".")[0] ?? ""];
			const isEnumerated = JSON.stringify(schema).includes("/schemas/IntentCode");
			return !(isEnumerated && of.properties.error) && where;
		});
		expect(wrong).toEqual([]);
	});

	test("a 401 names the header, and how to get what it takes", async () => {
		const refusal = async (path: string) => {
			const answer = await fetch(`${service.url}${path}`);
			const { message } = (await answer.json()) as { message: string };
			return [answer.status, message] as const;
		};
		const [status, message] = await refusal("/v1/trading/profile");
		expect(status).toBe(401);
		for (const part of ["Authorization: Bearer", "/v1/trading/siwe/verify"]) {
			expect(message).toContain(part);
		}
		const [adminStatus, told] = await refusal("/v1/admin/trading/intents");
		expect(adminStatus).toBe(401);
		for (const part of ["x-api-key", "ADMIN_API_KEY", "sandbox"]) expect(told).toContain(part);
	});

	test("the documents answer where generators and people look first", async () => {
		const [own, same] = await Promise.all(
			["/openapi/json", "/openapi.json"].map(async (path) =>
				(await fetch(`${service.url}${path}`)).text(),
			),
		);
		expect(same).toBe(own ?? "");
		const page = await fetch(`${service.url}/docs`);
		expect([page.status, page.headers.get("content-type")]).toEqual([
			200,
			"text/html; charset=utf-8",
		]);
	});

	test("the `type` of an error links to its page, from any route", async () => {
		const refused = await fetch(`${service.url}/v1/nft-market/collections/nobody`);
		const { type } = (await refused.json()) as { type: string };
		const page = await fetch(new URL(type, refused.url), { headers: { accept: "text/html" } });
		expect(page.headers.get("content-type")).toStartWith("text/html");
		expect(await page.text()).toContain("not_found");
	});
});
