import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault.ts";
import { loggable, redactText, secretForms } from "#core/log.ts";
import { cpuTimer } from "#test/harness/until.ts";

describe("loggable", () => {
	const written = (value: unknown, secrets?: string[]) =>
		JSON.stringify(loggable(value, secrets ? { secrets } : {}));

	// Guarantee: a line can always be written, whatever it is given, and stays small.
	test("any value becomes bounded JSON", () => {
		fc.assert(
			fc.property(
				fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
				(value) => {
					const line = written({ value }) ?? "";
					expect(line.length).toBeLessThan(100_000);
					JSON.parse(line);
				},
			),
		);
	});

	test("a four megabyte text is cut to two kilobytes, and its length is noted", () => {
		const cut = loggable("r".repeat(4_000_575));
		expect(String(cut).length).toBeLessThan(2_100);
		expect(cut).toEndWith("… [4000575 characters]");
	});

	test("an error keeps its type, message, own fields and cause, each bounded", () => {
		const error = new TypeError("x".repeat(4_000_000), { cause: new Error("below") });
		Object.assign(error, { code: "23505" });
		const copied = loggable(error);
		expect(copied).toMatchObject({ type: "TypeError", code: "23505", cause: { message: "below" } });
		expect(JSON.stringify(copied).length).toBeLessThan(12_000);
	});

	test("a Fault keeps its code, its private detail and its meta", () => {
		const fault = new Fault({
			code: "gone",
			status: 409,
			retry: "never",
			publicDetail: "Gone.",
			privateDetail: "not in the index",
			meta: { orderId: 5n },
		});
		expect(loggable(fault)).toMatchObject({
			code: "gone",
			privateDetail: "not in the index",
			meta: { orderId: "5" },
		});
	});

	test("a cycle is cut, and a value that occurs twice is no cycle", () => {
		const value: Record<string, unknown> = { twice: {} };
		value.self = value;
		value.again = value.twice;
		expect(loggable(value)).toEqual({ twice: {}, self: "[cycle]", again: {} });
	});

	test("an error that is its own cause ends", () => {
		const error = new Error("loop");
		error.cause = error;
		expect(loggable(error)).toMatchObject({ cause: "[cycle]" });
	});

	test("depth, width and the total number of values are bounded", () => {
		let deep: unknown = "bottom";
		for (let level = 0; level < 10_000; level += 1) deep = { deep };
		expect(written(deep)).toContain("[deep]");
		const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, index]));
		expect(Object.keys(Object(loggable(wide)))).toHaveLength(51);
		expect(loggable(Array.from({ length: 70 }, () => 1))).toContain("[20 more]");
		const bush = (level: number): unknown =>
			level === 0 ? "leaf" : Array.from({ length: 20 }, () => bush(level - 1));
		expect(written(bush(4)).length).toBeLessThan(20_000);
	});

	test("a value that throws when it is read loses only its own field", () => {
		const value = {
			kept: 1,
			get thrown() {
				throw new Error("no");
			},
		};
		expect(loggable(value)).toEqual({ kept: 1, thrown: "[unreadable]" });
		const proxy = new Proxy(
			{},
			{
				ownKeys: () => {
					throw new Error("no");
				},
			},
		);
		expect(loggable({ proxy, kept: 1 })).toEqual({ proxy: "[unreadable]", kept: 1 });
	});

	test("an object's toJSON is never called", () => {
		expect(loggable({ value: { toJSON: () => "forged", real: 1 } })).toEqual({
			value: { toJSON: "[function]", real: 1 },
		});
	});

	test("values that JSON lacks are written as text", () => {
		expect(
			loggable({
				big: 2n ** 255n,
				date: new Date(0),
				bad: new Date(Number.NaN),
				infinite: Number.POSITIVE_INFINITY,
				bytes: new Uint8Array(32),
				map: new Map([["a", 1]]),
				set: new Set([1]),
				url: new URL("https://u:secretpw@h/x"),
				symbol: Symbol("s"),
				surrogate: "\ud800",
			}),
		).toEqual({
			big: (2n ** 255n).toString(),
			date: "1970-01-01T00:00:00.000Z",
			bad: "Invalid Date",
			infinite: "Infinity",
			bytes: "[Uint8Array of 32 bytes]",
			map: { a: 1 },
			set: [1],
			url: "https://[redacted]@h/x",
			symbol: "Symbol(s)",
			surrogate: "\ufffd",
		});
	});

	// Guarantee: no secret reaches a log line by the name of its field.
	const secretKeys = [
		"authorization",
		"Authorization",
		"apiKey",
		"api_key",
		"x-api-key",
		"ADMIN_API_KEY",
		"secret",
		"clientSecret",
		"SESSION_SECRET",
		"token",
		"accessToken",
		"refresh_token",
		"password",
		"cookie",
		"set-cookie",
		"privateKey",
		"private_key",
		"mnemonic",
		"WALLET_PROVIDER_AUTHORIZATION_KEY_secret",
	];
	for (const key of secretKeys) {
		test(`the field ${key} is redacted at any depth [SEC-07]`, () => {
			const line = written({ outer: [{ [key]: "c4n4ry" }], map: new Map([[key, "c4n4ry"]]) });
			expect(line).not.toContain("c4n4ry");
		});
	}

	test("names and ids that are market data are not masked in a log", () => {
		const value = {
			tokenId: "1",
			tokens: 3,
			token: "0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
			hasApiKey: true,
			keys: ["a"],
		};
		expect(loggable(value)).toEqual(value);
	});

	test("a secret at the place of the cut is not written in part [SEC-07]", () => {
		for (let padding = 2_030; padding < 2_050; padding += 1) {
			expect(written(`${"x".repeat(padding)}c4n4ry-c4n4ry`, ["c4n4ry-c4n4ry"])).not.toContain(
				"c4n",
			);
		}
	});
});

describe("redactText", () => {
	const canary = "c4n4ry-value-123";

	// Guarantee: whatever shape an upstream echoes a secret in, the log does not repeat it.
	const leaks: [name: string, text: string][] = [
		["a database URL", `postgres://svc:${canary}@db:5432/tapeline`],
		["a password with an at sign", `postgresql://svc:p@${canary}@db/tapeline`],
		["a URL without a user", `redis://:${canary}@cache:6379`],
		["a bearer token", `authorization: Bearer ${canary}`],
		["basic credentials", `Basic ${canary}`],
		["a key in a query", `GET https://api.example/v1?api_key=${canary}&x=1`],
		["a token in a query", `wss://stream.example/socket?token=${canary}`],
		["a JSON body", `{"apiKey":"${canary}"}`],
		["a JSON body with spaces", `{"client_secret" : "${canary}"}`],
		["an access token", `access_token=${canary}`],
		["a password in a sentence", `password: ${canary}`],
		[
			"a key in a node provider's path",
			`HTTP request failed. URL: https://eth.example/v2/${canary}_abcd`,
		],
	];
	for (const [name, text] of leaks) {
		test(`${name} is redacted [SEC-07]`, () => {
			const redacted = redactText(text);
			expect(redacted).not.toContain(canary);
			expect(redacted).toContain("[redacted]");
		});
	}

	const harmless = [
		"no collection with the token 0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
		"unknown token: SUPERSTOCK",
		"https://api.opensea.io/api/v2/collections/boredapeyachtclub/stats",
		"GET /v1/nft-market/collections answered 500",
		`transaction 0x${"ab".repeat(32)}`,
		"mail to somebody@example.com",
	];
	for (const text of harmless) {
		test(`${text.slice(0, 40)} stays readable`, () => {
			expect(redactText(text)).toBe(text);
		});
	}

	test("a configured secret is found anywhere [SEC-07]", () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (before, after) => {
				expect(redactText(`${before}${canary}${after}`, [canary])).not.toContain(canary);
			}),
		);
	});

	test("an empty or tiny setting does not mask ordinary words", () => {
		expect(redactText("all quiet", ["", "a", "all"])).toBe("all quiet");
	});

	// Guarantee: a hostile text costs the log linear time.
	test("redacting stays fast for texts that are made against its patterns", () => {
		const cpuMs = cpuTimer();
		for (const text of [
			"a://".repeat(1_000),
			"a".repeat(4_000),
			`x://${"a:".repeat(2_000)}`,
			"token=".repeat(700),
		]) {
			redactText(text);
		}
		expect(cpuMs()).toBeLessThan(1_000);
	});
});

describe("secretForms", () => {
	// Guarantee: an upstream that quotes a secret in its own encoding does not carry it into the log.
	const encodings: [name: string, encode: (secret: string) => string][] = [
		["as it is", (secret) => secret],
		["encodeURIComponent", encodeURIComponent],
		["encodeURI", encodeURI],
		["in lower case hex", (secret) => encodeURIComponent(secret).toLowerCase()],
		["in a form", (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
		["in JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
		[
			"as a URL's password",
			(secret) => {
				const url = new URL("http://h/");
				url.password = secret;
				return url.password;
			},
		],
	];
	for (const [name, encode] of encodings) {
		test(`a secret is found ${name}`, () => {
			const secret = fc.stringMatching(/^[a-z0-9 !"#$%&'()*+,./:;<=>?@[\\\]^_`{|}~\n-]{8,60}$/);
			fc.assert(
				fc.property(secret, (text) => {
					// Lower case hex changes a text that has capitals; these have none.
					expect(secretForms([text])).toContain(encode(text));
				}),
			);
		});
	}

	test("a secret that is configured encoded is found decoded", () => {
		expect(secretForms(["p%40ss%2Fword"])).toContain("p@ss/word");
	});

	test("a key after a prefix, and each line of a secret of several lines, is found alone", () => {
		const lines = ["-----BEGIN KEY-----", "a".repeat(64), "b".repeat(40)];
		expect(secretForms([lines.join("\n")])).toEqual(expect.arrayContaining(lines.slice(1)));
		expect(secretForms(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])).toContain(
			"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		);
	});

	test("the longer of two secrets is masked first, so that no half of it remains", () => {
		const forms = secretForms(["c4n4ry", "c4n4ry-and-more"]);
		expect(redactText("c4n4ry-and-more, c4n4ry", forms)).toBe("[redacted], [redacted]");
	});
});
