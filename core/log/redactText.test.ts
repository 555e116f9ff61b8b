import { expect, test } from "bun:test";
import fc from "fast-check";
import { redactText } from "#core/log/redactText.ts";
import { cpuTimer } from "#test/harness/cpuTimer.ts";

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

test("a secret known from configuration is found anywhere [SEC-07]", () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), (before, after) => {
			expect(redactText(`${before}${canary}${after}`, [canary])).not.toContain(canary);
		}),
	);
});

test("an empty or tiny setting does not blank out ordinary words", () => {
	expect(redactText("all quiet", ["", "a", "all"])).toBe("all quiet");
});

// Guarantee: a hostile text costs the log linear time.
test("texts made against the patterns stay fast", () => {
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
