import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";
import { commaList } from "#core/config/fields.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import {
	isSecretName,
	maskValue,
	renderConfig,
	renderEnvExample,
	renderValue,
	secretsOf,
	urlSecrets,
} from "#core/config/renderConfig.ts";

describe("isSecretName", () => {
	test("names of keys, secrets, tokens, passwords and the two storage URLs are secret", () => {
		const names = ["OPENAI_API_KEY", "SESSION_SECRET", "SIGNER_KEYS_JSON", "SMTP_PASSWORD"];
		for (const name of [...names, "DATABASE_URL", "REDIS_URL"])
			expect(isSecretName(name)).toBe(true);
	});

	test("a name that only contains such a word as a part is not secret", () => {
		const names = ["PROVIDER_BASE_URL", "KEY_COUNT_MAX", "MY_DATABASE_URL_X", "TOKENS_PER_PAGE"];
		for (const name of names) expect(isSecretName(name)).toBe(false);
	});
});

describe("maskValue", () => {
	test("a value whose name is secret is masked as a whole", () => {
		const names = [
			"OPENAI_API_KEY",
			"SESSION_SECRET",
			"SOCIAL_ACCESS_TOKEN",
			"SMTP_PASSWORD",
			"SIGNER_KEYS_JSON",
			"DATABASE_URL",
			"REDIS_URL",
		];
		for (const name of names)
			expect(maskValue({ name, text: "postgres://u:p/q@h/db" })).toBe("***");
	});

	test("a value that is declared secret is masked whatever its name is", () => {
		expect(maskValue({ name: "SOCIAL_CONSUMER", text: "x", declaredSecret: true })).toBe("***");
	});

	test("a URL is shown without its credentials, query values, fragment and key-like path parts", () => {
		const cases: Record<string, string> = {
			"https://mainnet.base.org": "https://mainnet.base.org",
			"https://rpc.hyperliquid.xyz/evm": "https://rpc.hyperliquid.xyz/evm",
			"http://127.0.0.1:8545/": "http://127.0.0.1:8545/",
			"https://eth.example/v2/AbCdEf0123456789": "https://eth.example/v2/***",
			"wss://user:pass@node.example/ws": "wss://***@node.example/ws",
			"https://u:pa/ss@node.example/x": "https://***@node.example/x",
			"https://lb.example/ogrpc?network=base&dkey=abc":
				"https://lb.example/ogrpc?network=***&dkey=***",
			"https://lb.example?abc": "https://lb.example?***",
			"https://lb.example/#abc": "https://lb.example/#***",
		};
		for (const [text, shown] of Object.entries(cases)) {
			expect(maskValue({ name: "PROVIDER_BASE_URL", text })).toBe(shown);
		}
	});

	test("every URL inside JSON and lists is masked, and the rest is shown", () => {
		const text = '{"1":["https://a.example/v3/0123456789abcdef","wss://b.example?key=x"]}';
		expect(maskValue({ name: "CHAIN_RPC_URLS_JSON", text })).toBe(
			'{"1":["https://a.example/v3/***","wss://b.example?key=***"]}',
		);
	});

	test("a value that is no URL and no secret is shown", () => {
		expect(maskValue({ name: "CHAINS", text: "base,ethereum" })).toBe("base,ethereum");
	});

	test("[SEC-07] a short key in an endpoint's path is masked too", () => {
		const text = "https://eth-mainnet.example/v2/KEYKEY123456";
		expect(maskValue({ name: "CHAIN_RPC_URLS_JSON", text })).toBe(
			"https://eth-mainnet.example/v2/***",
		);
	});
});

describe("renderConfig", () => {
	const core = { owner: "core", schema: coreConfig };
	const social = {
		owner: "social",
		schema: z.object({
			SOCIAL_CONSUMER: z.string().meta({ secret: true }).describe("x"),
			SOCIAL_NOTE: z.string().describe("x"),
		}),
	};

	test("the printed configuration holds no password and no key", () => {
		const env = {
			DATABASE_URL: "postgres://user:pa55word@db/tapeline",
			CHAIN_RPC_URLS_JSON: '{"1":["https://rpc.example/v2/abcdefabcdefabcdef?k=s3cret"]}',
			SOCIAL_CONSUMER: "c0nsumer",
			SOCIAL_NOTE: "one\ntwo",
		};
		const text = renderConfig([core, social], parseConfig([core, social], env));
		for (const secret of ["pa55word", "abcdefabcdefabcdef", "s3cret", "c0nsumer"]) {
			expect(text).not.toContain(secret);
		}
		expect(text).toContain("DATABASE_URL=***");
		expect(text).toContain("SOCIAL_NOTE=one two");
	});

	test("defaults and unset variables are printed too", () => {
		const text = renderConfig([core], parseConfig([core], { CHAINS: "base,zora" }));
		expect(text).toContain("# --- core ---\nHOST=127.0.0.1\nPORT=4000\n");
		expect(text).toContain("\nCHAINS=base,zora\n");
		expect(text).toContain("\n# REDIS_URL is not set\n");
	});
});

describe("renderEnvExample", () => {
	const shared = z.string().optional().describe("Shared.");
	const first = {
		owner: "first",
		schema: z.object({
			FIRST_SIZE: z.int().min(1).max(9).default(5).describe("How many."),
			FIRST_TAGS: commaList(z.string()).default(["a", "b"]).describe("Which."),
			FIRST_API_KEY: z.string().min(20).describe("The key."),
			SHARED_URL: shared,
		}),
	};
	const second = { owner: "second", schema: z.object({ SHARED_URL: shared }) };

	test("every variable is listed under its owner with description, expected format and default", () => {
		expect(renderEnvExample([first, second]).split("\n").slice(1).join("\n")).toBe(`
# --- first ---

# How many. Takes a whole number from 1 to 9.
#FIRST_SIZE=5

# Which.
#FIRST_TAGS=a,b

# Required. The key. Takes a text of at least 20 characters.
FIRST_API_KEY=

# Shared.
#SHARED_URL=
`);
	});

	test("no line is longer than 100 columns", () => {
		const long = {
			owner: "x",
			schema: z.object({ X: z.string().optional().describe("word ".repeat(80)) }),
		};
		const text = renderEnvExample([long, { owner: "core", schema: coreConfig }]);
		for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
		expect(text.match(/word/g)).toHaveLength(80);
	});
});

describe("renderValue", () => {
	test("a value is printed as an operator would type it", () => {
		expect(renderValue(true)).toBe("true");
		expect(renderValue(0)).toBe("0");
		expect(renderValue("")).toBe("");
		expect(renderValue(["a", "b"])).toBe("a,b");
		expect(renderValue({ a: [1] })).toBe('{"a":[1]}');
		expect(renderValue(new URL("https://a.example"))).toBe("https://a.example/");
		expect(renderValue(undefined)).toBeUndefined();
		expect(renderValue(null)).toBeUndefined();
	});
});

describe("secretsOf", () => {
	const core = {
		owner: "core",
		schema: z.object({ DATABASE_URL: z.string().describe("x"), PORT: z.int().describe("x") }),
	};
	const social = {
		owner: "social",
		schema: z.object({
			SOCIAL_CONSUMER: z.string().optional().meta({ secret: true }).describe("x"),
			RPC_URLS_JSON: z.string().describe("x"),
			GATEWAY_URLS: z.string().describe("x"),
		}),
	};

	test("every variable that a plugin's schema declares secret gives a secret", () => {
		expect(secretsOf([core, social], { SOCIAL_CONSUMER: " c4n4ry " })).toEqual(["c4n4ry"]);
	});

	test("a variable with a secret name gives a secret, also without a schema", () => {
		expect(secretsOf([core], { SOMEBODYS_API_KEY: "c4n4ry", SOMEBODYS_PLACE: "home" })).toEqual([
			"c4n4ry",
		]);
	});

	test("a database URL is a secret, and its password is one too", () => {
		const url = "postgres://svc:p4,ss/w0rd@db/tapeline";
		const secrets = secretsOf([core], { DATABASE_URL: url });
		expect(secrets).toContain(url);
		expect(secrets).toContain("p4,ss/w0rd");
	});

	test("the secret parts of other URLs are secrets, in lists and in escaped JSON too", () => {
		const secrets = secretsOf([social], {
			RPC_URLS_JSON: String.raw`{"1":["https:\/\/a.example\/v2\/KEYKEY\u0031\u0032","wss://u:pw@b"]}`,
			GATEWAY_URLS: "https://x.example?key=one,https://y.example/v3/TWO22222",
		});
		expect(secrets).toEqual(expect.arrayContaining(["KEYKEY12", "pw", "one", "TWO22222"]));
		expect(secrets.join()).not.toContain("example");
	});

	test("secrets are also found in a configuration that will be refused", () => {
		const secrets = secretsOf([social], {
			RPC_URLS_JSON: '{"1": "https://a.example/v2/KEYKEY12",',
		});
		expect(secrets).toEqual(["KEYKEY12"]);
	});

	test("other values, and the variables of other programs, give no secrets", () => {
		expect(
			secretsOf([core, social], { PORT: "4000", OTHER: "https://u:pw@h", PATH: "/x" }),
		).toEqual([]);
	});
});

describe("urlSecrets", () => {
	const base64 = (text: string) => Buffer.from(text).toString("base64");

	const cases: Record<string, string[]> = {
		"https://mainnet.base.org": [],
		"https://rpc.hyperliquid.xyz/evm": [],
		"https://api.example/ethereum-mainnet/v2?network=ethereum": [],
		"http://127.0.0.1:8545/": [],
		"postgres://tapeline@db.example/tapeline": [],
		"https://aKeyAlone@rpc.example": ["aKeyAlone"],
		"postgres://svc:pa55word@db.example/tapeline": ["pa55word", base64("svc:pa55word")],
		"redis://:pa55word@cache.example:6379/0": ["pa55word", base64(":pa55word")],
		"postgres://u:pa/ss@wo:rd@h/db": ["pa/ss@wo:rd", base64("u:pa/ss@wo:rd")],
		"postgres:///db?host=/run&password=word": ["word"],
		"https://eth.example/v2/AbCdEf0123456789": ["AbCdEf0123456789"],
		"https://eth.example/v2/onlyLettersHere": ["onlyLettersHere"],
		"https://lb.example/ogrpc?network=base&dkey=abc": ["abc"],
		"https://lb.example?KEYKEY123456": ["KEYKEY123456"],
		"wss://b.example/ws#KEYKEY123456": ["KEYKEY123456"],
	};
	for (const [url, secrets] of Object.entries(cases)) {
		test(`the secret of ${url} is: ${secrets.join(" ") || "nothing"}`, () => {
			expect(urlSecrets(url)).toEqual(secrets);
		});
	}

	test("a password is found as a whole, with any characters in it", () => {
		const password = fc.stringMatching(/^[^?#\s]{1,40}$/);
		fc.assert(
			fc.property(password, (text) => {
				expect(urlSecrets(`redis://svc:${text}@cache.example:6379/0`)[0]).toBe(text);
			}),
		);
	});
});
