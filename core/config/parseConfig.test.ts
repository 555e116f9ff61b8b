import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { type ConfigProblem, commaList, jsonText } from "#core/config/fields.ts";
import { nearestName, parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { Fault } from "#core/fault.ts";

describe("nearestName", () => {
	const known = ["PORT", "HOST", "ROLE", "CHAINS", "DATABASE_URL", "PROVIDER_API_KEY"];

	test("one letter that is added, missing, wrong, swapped or in lower case is recognised", () => {
		const meant: Record<string, string> = {
			CHAIN: "CHAINS",
			DATABASEURL: "DATABASE_URL",
			DATBASE_URL: "DATABASE_URL",
			DATABASE_ULR: "DATABASE_URL",
			PROVIDER_APIKEY: "PROVIDER_API_KEY",
			provider_api_key: "PROVIDER_API_KEY",
			port: "PORT",
		};
		for (const [name, other] of Object.entries(meant)) expect(nearestName(name, known)).toBe(other);
	});

	test("a different word is not recognised as a misspelling", () => {
		for (const name of ["POST", "SORT", "PATH", "HOSTNAME", "SHELL", "CHAT", "X", "API_KEY"]) {
			expect(nearestName(name, known)).toBeUndefined();
		}
	});
});

describe("parseConfig", () => {
	const market = {
		owner: "market",
		schema: z.object({
			MARKET_PAGE_SIZE: z.int().min(1).max(200).default(50).describe("Rows of a page."),
			MARKET_RATIO: z.number().positive().optional().describe("A ratio."),
			MARKET_LIVE: z.boolean().default(true).describe("Whether it is live."),
			MARKET_MODE: z.enum(["fast", "safe"]).default("safe").describe("How careful to be."),
			MARKET_TAGS: commaList(z.string()).default([]).describe("Tags."),
			MARKET_LIMITS_JSON: jsonText(z.record(z.string(), z.int())).default({}).describe("Limits."),
		}),
	};
	const wallets = {
		owner: "wallets",
		schema: z.object({
			WALLET_API_KEY: z.string().min(20).describe("The provider's key."),
			WALLET_URL: z.url().default("https://wallet.example").describe("The provider."),
		}),
	};
	const KEY = "a-key-of-twenty-characters";

	describe("values", () => {
		test("an empty environment gives the defaults", () => {
			expect(parseConfig([market], {}).of(market)).toEqual({
				MARKET_PAGE_SIZE: 50,
				MARKET_LIVE: true,
				MARKET_MODE: "safe",
				MARKET_TAGS: [],
				MARKET_LIMITS_JSON: {},
			});
		});

		test("texts are converted to the types of the schema", () => {
			const env = {
				MARKET_PAGE_SIZE: " 25 ",
				MARKET_RATIO: "0.5",
				MARKET_LIVE: "No",
				MARKET_MODE: "fast",
				MARKET_TAGS: "a, b,,a",
				MARKET_LIMITS_JSON: '{"base":3}',
			};
			expect(parseConfig([market], env).of(market)).toEqual({
				MARKET_PAGE_SIZE: 25,
				MARKET_RATIO: 0.5,
				MARKET_LIVE: false,
				MARKET_MODE: "fast",
				MARKET_TAGS: ["a", "b"],
				MARKET_LIMITS_JSON: { base: 3 },
			});
		});

		test("a variable set to nothing counts as not set", () => {
			const env = { MARKET_PAGE_SIZE: "", MARKET_LIVE: "  " };
			expect(parseConfig([market], env).of(market)).toMatchObject({
				MARKET_PAGE_SIZE: 50,
				MARKET_LIVE: true,
			});
		});

		test("each owner of a section gets its own variables only", () => {
			const config = parseConfig([market, wallets], { WALLET_API_KEY: KEY, HOME: "/root" });
			expect(config.of(wallets)).toEqual({
				WALLET_API_KEY: KEY,
				WALLET_URL: "https://wallet.example",
			});
			expect(config.of(market)).not.toHaveProperty("WALLET_API_KEY");
		});

		test("a boolean has six spellings; everything else is refused, also where zod would coerce", () => {
			const coerced = { owner: "x", schema: z.object({ LIVE: z.coerce.boolean().describe("x") }) };
			for (const [text, value] of Object.entries({
				true: true,
				"1": true,
				yes: true,
				FALSE: false,
			})) {
				expect(parseConfig([coerced], { LIVE: text }).of(coerced).LIVE).toBe(value);
			}
			for (const text of ["on", "off", "y", "t", "2", "flase", "null"]) {
				expect(problemsOf([coerced], { LIVE: text })).toMatchObject([{ variable: "LIVE" }]);
			}
		});

		test("a number is plain decimal; everything else is refused, also where zod would coerce", () => {
			const coerced = { owner: "x", schema: z.object({ SIZE: z.coerce.number().describe("x") }) };
			expect(parseConfig([coerced], { SIZE: "-1.5" }).of(coerced).SIZE).toBe(-1.5);
			for (const text of ["0x10", "1e3", "Infinity", "NaN", "1_000", "1,5", "ten", "007"]) {
				expect(problemsOf([coerced], { SIZE: text })).toMatchObject([{ variable: "SIZE" }]);
			}
		});
	});

	describe("problems", () => {
		test("all problems are reported together, each with the value, the expected format and the owner", () => {
			const env = { MARKET_PAGE_SIZE: "500", MARKET_LIVE: "maybe", MARKET_MODE: "slow" };
			expect(problemsOf([market, wallets], env)).toEqual([
				{
					variable: "MARKET_LIVE",
					owner: "market",
					got: "maybe",
					expected: "true or false (or 1/0, yes/no)",
					because: [],
				},
				{
					variable: "MARKET_PAGE_SIZE",
					owner: "market",
					got: "500",
					expected: "a whole number from 1 to 200",
					because: [],
				},
				{
					variable: "MARKET_MODE",
					owner: "market",
					got: "slow",
					expected: "one of fast, safe",
					because: [],
				},
				{
					variable: "WALLET_API_KEY",
					owner: "wallets",
					got: undefined,
					expected: "a text of at least 20 characters",
					because: [],
				},
			]);
		});

		test("the whole message has the expected text", () => {
			const fault = faultOf([market, wallets], {
				MARKET_PAGE_SIZE: "many",
				WALLET_API_KEY: "short",
			});
			expect(fault.code).toBe("config_invalid");
			expect(fault.privateDetail).toBe(`The configuration has 2 errors:

  MARKET_PAGE_SIZE  (market)
    got       "many"
    expected  a whole number from 1 to 200

  WALLET_API_KEY  (wallets)
    got       "***"
    expected  a text of at least 20 characters`);
		});

		test("for JSON and lists the message names the position of the problem", () => {
			const env = { MARKET_LIMITS_JSON: '{"base":"three","zora":1.5}' };
			const [problem] = problemsOf([market], env);
			expect(problem?.expected).toStartWith("at base: ");
			expect(problem?.because[0]).toStartWith("at zora: ");
			expect(problemsOf([market], { MARKET_LIMITS_JSON: "{" })).toMatchObject([
				{ expected: "this is not JSON" },
			]);
		});

		test("a secret is shown neither as a received value nor inside another message", () => {
			const secret = "hunter2-hunter2";
			const loud = (name: string) => ({
				owner: "loud",
				schema: z.object({
					[name]: z
						.string()
						.superRefine((text, context) => {
							context.addIssue({ code: "custom", message: `"${text}" is bad` });
						})
						.describe("x"),
				}),
			});
			for (const name of [
				"A_KEY",
				"A_SECRET",
				"A_TOKEN",
				"A_PASSWORD",
				"DATABASE_URL",
				"REDIS_URL",
			]) {
				expect(faultOf([loud(name)], { [name]: secret }).message).not.toContain(secret);
			}
		});

		test("a value cannot send control characters to the terminal, nor a very long text", () => {
			const clearScreen = "\u001b[2J";
			const fault = faultOf([market], { MARKET_MODE: `${clearScreen}${"x".repeat(100_000)}` });
			expect(fault.privateDetail).not.toContain(clearScreen);
			expect(fault.privateDetail?.length).toBeLessThan(500);
		});

		test("a rule about several variables is reported together with the other problems", () => {
			const pair = {
				owner: "pair",
				schema: z
					.object({
						PAIR_A: z.string().optional().describe("x"),
						PAIR_B: z.string().optional().describe("x"),
					})
					.refine(({ PAIR_A, PAIR_B }) => !PAIR_A === !PAIR_B, {
						message: "PAIR_A and PAIR_B go together",
					}),
			};
			expect(problemsOf([pair, wallets], { PAIR_A: "1" })).toMatchObject([
				{ owner: "pair", expected: "PAIR_A and PAIR_B go together" },
				{ owner: "wallets" },
			]);
		});
	});

	describe("declarations", () => {
		test("two owners may share a variable only if they share its schema", () => {
			const shared = z.string().default("x").describe("x");
			const a = { owner: "a", schema: z.object({ SHARED: shared }) };
			const b = { owner: "b", schema: z.object({ SHARED: shared }) };
			const c = { owner: "c", schema: z.object({ SHARED: z.string().default("y").describe("y") }) };
			expect(parseConfig([a, b], {}).of(b)).toEqual({ SHARED: "x" });
			expect(problemsOf([a, b, c], {})).toMatchObject([{ variable: "SHARED", owner: "c" }]);
		});

		test("a name in small letters, a missing description and a bare list are refused", () => {
			const schemas = [
				z.object({ page_size: z.string().default("").describe("x") }),
				z.object({ PAGE_SIZE: z.string().default("") }),
				z.object({ PAGE_SIZES: z.array(z.string()).default([]).describe("x") }),
			];
			for (const schema of schemas) {
				expect(problemsOf([{ owner: "x", schema }], {})).toHaveLength(1);
			}
		});

		test("an owner with two sections is refused", () => {
			expect(problemsOf([market, market], {})).toMatchObject([{ variable: "(owner)" }]);
		});
	});

	describe("warnings", () => {
		test("a misspelled variable is named together with the one that is meant", () => {
			const env = { MARKET_PAGESIZE: "5", MARKTE_MODE: "fast", market_live: "no" };
			const { warnings } = parseConfig([market], env);
			expect(warnings).toHaveLength(3);
			expect(warnings.join("\n")).toContain("meant to be MARKET_PAGE_SIZE?");
			expect(warnings.join("\n")).toContain("meant to be MARKET_MODE?");
			expect(warnings.join("\n")).toContain("meant to be MARKET_LIVE?");
		});

		test("variables of other programs, and one similar to a set variable, give no warning", () => {
			const env = { PATH: "/bin", HOME: "/", MARKET_MODE: "fast", MARKET_MODES: "x" };
			expect(parseConfig([market], env).warnings).toEqual([]);
		});
	});

	function faultOf(sections: Parameters<typeof parseConfig>[0], env: Environment): Fault {
		try {
			parseConfig(sections, env);
		} catch (error) {
			if (error instanceof Fault) return error;
			throw error;
		}
		return expect.unreachable();
	}

	function problemsOf(sections: Parameters<typeof parseConfig>[0], env: Environment) {
		return faultOf(sections, env).meta.problems as ConfigProblem[];
	}
});
