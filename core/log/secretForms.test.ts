import { expect, test } from "bun:test";
import fc from "fast-check";
import { redactText } from "#core/log/redactText.ts";
import { secretForms } from "#core/log/secretForms.ts";

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

test("the key behind a prefix, and each line of a text of lines, is found alone", () => {
	const lines = ["-----BEGIN KEY-----", "a".repeat(64), "b".repeat(40)];
	expect(secretForms([lines.join("\n")])).toEqual(expect.arrayContaining(lines.slice(1)));
	expect(secretForms(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])).toContain(
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	);
});

test("of two secrets the longer goes first, so that no half of it stays", () => {
	const forms = secretForms(["c4n4ry", "c4n4ry-and-more"]);
	expect(redactText("c4n4ry-and-more, c4n4ry", forms)).toBe("[redacted], [redacted]");
});
