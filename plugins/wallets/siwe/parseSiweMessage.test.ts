import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { getAddress } from "viem";
import {
	parseSiweMessage,
	renderSiweMessage,
	type SiweMessage,
} from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const VECTORS = join(import.meta.dir, "../../../../shared/data/siwe/parsing_positive.json");
const testWithVectors = skipWithReason(existsSync(VECTORS) ? null : `${VECTORS} is not here`);

const ADDRESS = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const FULL: SiweMessage = {
	scheme: null,
	domain: "service.org",
	address: ADDRESS,
	statement: "I accept the ServiceOrg Terms of Service: https://service.org/tos",
	uri: "https://service.org/login",
	version: "1",
	chainId: 4663,
	nonce: "32891757",
	issuedAt: "2021-09-30T16:25:24.000Z",
	expirationTime: "2021-09-30T16:35:24.000Z",
	notBefore: "2021-09-30T16:25:24Z",
	requestId: "request-1",
	resources: ["ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu", "https://a.example/1.json"],
};
const LINES = renderSiweMessage(FULL).split("\n");

function read(text: string): SiweMessage | string {
	const reading = parseSiweMessage(text);
	return reading.kind === "message" ? reading.message : reading.reason;
}

function isRefused(text: string): boolean {
	return parseSiweMessage(text).kind === "refused";
}

/** The full message with one line replaced, found by how it begins. */
function withLine(start: string, line: string | null): string {
	const at = LINES.findIndex((one) => one.startsWith(start));
	expect({ start, found: at >= 0 }).toEqual({ start, found: true });
	return LINES.flatMap((one, index) => (index === at ? (line ?? []) : one)).join("\n");
}

describe("the official vectors", () => {
	testWithVectors("[TRD-10] each message that must be read is, with its fields", () => {
		const vectors: Record<string, { message: string; fields: Record<string, unknown> }> =
			JSON.parse(readFileSync(VECTORS, "utf8"));
		const names = Object.keys(vectors);
		expect(names.length).toBeGreaterThanOrEqual(19);
		for (const [name, { message, fields }] of Object.entries(vectors)) {
			expect({ name, read: read(message) }).toMatchObject({ name, read: fields });
			// Each is refused as soon as a newline follows it, or its address loses its capitals.
			expect({ name, refused: isRefused(`${message}\n`) }).toEqual({ name, refused: true });
			expect(isRefused(message.replace(/0x\w{40}/, (text) => text.toLowerCase()))).toBe(true);
		}
	});
});

test("[TRD-10] every field is read as it was written, and an absent one is null", () => {
	expect(read(LINES.join("\n"))).toEqual(FULL);
	const bare = {
		...FULL,
		statement: null,
		expirationTime: null,
		notBefore: null,
		requestId: null,
		resources: null,
	};
	expect(read(renderSiweMessage(bare))).toEqual(bare);
	expect(read(renderSiweMessage({ ...bare, resources: [] }))).toEqual({ ...bare, resources: [] });
	expect(read(renderSiweMessage({ ...bare, requestId: "" }))).toEqual({ ...bare, requestId: "" });
	expect(read(renderSiweMessage({ ...FULL, scheme: "https" }))).toEqual({
		...FULL,
		scheme: "https",
	});
});

describe("[TRD-10] a text outside of the grammar is refused:", () => {
	const MANDATORY = ["URI: ", "Version: ", "Chain ID: ", "Nonce: ", "Issued At: "];
	test("a message without a required field, or with it empty or twice", () => {
		for (const label of MANDATORY) {
			const line = LINES.find((one) => one.startsWith(label)) ?? "";
			expect({ label, is: isRefused(withLine(label, null)) }).toEqual({ label, is: true });
			expect(isRefused(withLine(label, label))).toBe(true);
			expect(isRefused(withLine(label, label.trimEnd()))).toBe(true);
			expect(isRefused(withLine(label, `${line}\n${line}`))).toBe(true);
			expect(isRefused(withLine(label, ""))).toBe(true);
		}
		expect(isRefused(withLine("0x", null))).toBe(true);
		expect(isRefused(withLine("0x", ""))).toBe(true);
		expect(isRefused(LINES.slice(1).join("\n"))).toBe(true);
		expect(isRefused("")).toBe(true);
	});

	test("fields in another order: every two of them, exchanged", () => {
		for (let one = 0; one < LINES.length; one++) {
			for (let other = one + 1; other < LINES.length; other++) {
				if (LINES[one] === LINES[other]) continue;
				const swapped = [...LINES];
				[swapped[one], swapped[other]] = [LINES[other] ?? "", LINES[one] ?? ""];
				// Two resources may stand in either order: that is another message, and a good one.
				const areResources = swapped[one]?.startsWith("- ") && swapped[other]?.startsWith("- ");
				const refused = isRefused(swapped.join("\n"));
				expect({ one, other, refused }).toEqual({ one, other, refused: !areResources });
			}
		}
	});

	test("a line that is unknown, empty or doubled, at any position", () => {
		for (let at = 0; at <= LINES.length; at++) {
			for (const extra of ["", " ", "X: y", "Chain ID: 1", "\t", "Statement: more"]) {
				const text = LINES.toSpliced(at, 0, extra).join("\n");
				expect({ at, extra, refused: isRefused(text) }).toEqual({ at, extra, refused: true });
			}
		}
	});

	test("a message with any required line left out", () => {
		const optional = /^(?:I accept|Expiration Time|Not Before|Request ID|- )/;
		for (const [at, line] of LINES.entries()) {
			const refused = isRefused(LINES.toSpliced(at, 1).join("\n"));
			expect({ line, refused }).toEqual({ line, refused: !optional.test(line) });
		}
	});

	test("other line endings, blanks at ends, and anything before or after", () => {
		const text = LINES.join("\n");
		expect(isRefused(LINES.join("\r\n"))).toBe(true);
		expect(isRefused(LINES.join("\r"))).toBe(true);
		expect(isRefused(LINES.join("\u2028"))).toBe(true);
		expect(isRefused(LINES.join("\\n"))).toBe(true);
		for (const around of ["\n", " ", "\r", "\t", "\u0000", "\ufeff", "\u200b"]) {
			expect(isRefused(text + around)).toBe(true);
			expect(isRefused(around + text)).toBe(true);
		}
		for (const [at, line] of LINES.entries()) {
			for (const changed of [`${line} `, ` ${line}`, `${line}\r`, `${line}\t`]) {
				// A statement may end or begin with a blank: then the blank is part of what was signed.
				const isStatement = line === FULL.statement && /^[^\r\t]*$/.test(changed);
				const refused = isRefused(LINES.with(at, changed).join("\n"));
				expect({ changed, refused }).toEqual({ changed, refused: !isStatement });
			}
		}
	});

	test("labels in another spelling", () => {
		const labels = ["URI", "Version", "Chain ID", "Nonce", "Issued At", "Expiration Time"];
		for (const label of [...labels, "Not Before", "Request ID"]) {
			const line = LINES.find((one) => one.startsWith(`${label}: `)) ?? "";
			const value = line.slice(label.length + 2);
			for (const other of [label.toLowerCase(), label.toUpperCase(), label.replace(" ", "")]) {
				if (other === label) continue;
				expect({ other, is: isRefused(withLine(label, `${other}: ${value}`)) }).toEqual({
					other,
					is: true,
				});
			}
			for (const colon of [":", " : ", ":  ", "="]) {
				expect(isRefused(withLine(label, `${label}${colon}${value}`))).toBe(true);
			}
		}
		expect(isRefused(withLine("Resources:", "Resources: "))).toBe(true);
		expect(isRefused(withLine("Resources:", "resources:"))).toBe(true);
	});

	test("an address in other capitals than EIP-55's, too short, too long or no address", () => {
		const hex = ADDRESS.slice(2);
		const bad = [
			ADDRESS.toLowerCase(),
			`0x${hex.toUpperCase()}`,
			`0X${hex}`,
			hex,
			ADDRESS.slice(0, -1),
			`${ADDRESS}0`,
			`0xc02${hex.slice(3)}`,
			`0x${"g".repeat(40)}`,
			"vitalik.eth",
			`${ADDRESS}@1`,
		];
		expect(bad.filter((address) => !isRefused(withLine("0x", address)))).toEqual([]);
		const digits = `0x${"1".repeat(40)}`;
		expect(isRefused(withLine("0x", digits))).toBe(false);
	});

	test("a first line that is another sentence, or whose domain is invalid", () => {
		const tail = " wants you to sign in with your Ethereum account:";
		const bad = [
			tail,
			tail.trim(),
			`${tail.slice(0, -1)}`,
			` service.org${tail}`,
			`service .org${tail}`,
			`service.org ${tail}`,
			`service.org${tail.toLowerCase()}`,
			`service.org${tail} `,
			`service.org/path${tail}`,
			`service.org?q${tail}`,
			`bücher.example${tail}`,
			`://service.org${tail}`,
			`1http://service.org${tail}`,
			`https:service.org${tail}`,
			`https:/service.org${tail}`,
			`https://${tail}`,
			`https://https://service.org${tail}`,
			`[::g]${tail}`,
			`a@b@service.org${tail}`,
			`service.org wants you to sign in with your Bitcoin account:`,
		];
		expect(bad.filter((line) => !isRefused(withLine("service.org", line)))).toEqual([]);
		for (const domain of ["test@127.0.0.1:8080", "[::cafe]:1", "localhost:8080"]) {
			expect(read(withLine("service.org", `${domain}${tail}`))).toMatchObject({ domain });
		}
	});

	test("values that no field may have", () => {
		const bad: [label: string, values: string[]][] = [
			["URI: ", ["service.org", "/login", "https://a b", "https://ü.example", "", "https://a/%zz"]],
			["Version: ", ["2", "01", "1.0", "one", " 1", "1 ", "１"]],
			["Chain ID: ", ["", "a", "0x1", "-1", "+1", "1.0", "1e3", " 1", "01", "１", "9".repeat(20)]],
			["Nonce: ", ["", "1234567", "abcdefg", "1234 5678", "12345678-", "abcdefgü", "abc_defgh"]],
			[
				"Issued At: ",
				["", "now", "2021-09-30", "2021-02-30T00:00:00Z", "1632999600", "30/09/2021"],
			],
			["Expiration Time: ", ["", "never", "2021-13-01T00:00:00Z", "2021-09-30T25:00:00Z"]],
			["Not Before: ", ["", "later", "2021-09-31T00:00:00Z"]],
			["Request ID: ", ["a b", "a/b", "ä", "%"]],
			["- ipfs", ["not a uri", "- a.example", "-https://a.example", "* https://a.example", "- "]],
		];
		for (const [label, values] of bad) {
			for (const value of values) {
				const line = label.endsWith(": ") ? label + value : value;
				expect({ line, refused: isRefused(withLine(label, line)) }).toEqual({
					line,
					refused: true,
				});
			}
		}
	});

	test("a statement that is empty, has several lines or characters beyond ASCII", () => {
		const statements = ["", "a\nb", "a\n\nb", "ä", "a\u202eb", 'say "yes"', "100 %", "a\tb"];
		const kept = statements.filter((text) => !isRefused(withLine("I accept", text)));
		expect(kept).toEqual([]);
	});

	test("a statement that imitates the fields is a statement, and the real ones still count", () => {
		const text = renderSiweMessage({ ...FULL, statement: "URI: https://evil.example" });
		expect(read(text)).toMatchObject({ uri: FULL.uri, statement: "URI: https://evil.example" });
	});

	test("an endless message, and one with endless resources", () => {
		const long = renderSiweMessage({ ...FULL, statement: "a".repeat(9_000) });
		expect(isRefused(long)).toBe(true);
		const many = renderSiweMessage({ ...FULL, resources: Array(51).fill("a:b") });
		expect(isRefused(many)).toBe(true);
	});
});

const text = (characters: string, minLength: number, maxLength: number) =>
	fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((parts) => parts.join(""));
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const times = fc
	.date({ min: new Date(0), max: new Date("9999-01-01T00:00:00Z"), noInvalidDate: true })
	.map((date) => date.toISOString());
const messages: fc.Arbitrary<SiweMessage> = fc.record({
	scheme: orNull(fc.constantFrom("https", "http", "a+b-c.1")),
	domain: fc.constantFrom("service.org", "localhost:1", "[::1]:2", "u:p@h", "127.0.0.1"),
	address: fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map((number) => {
		return getAddress(`0x${number.toString(16).padStart(40, "0")}`);
	}),
	statement: orNull(text("abcXYZ 019:/?#[]@!$&'()*+,;=-._~", 1, 40)),
	uri: fc.webUrl(),
	version: fc.constant("1" as const),
	chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
	nonce: text("abcABC019", 8, 30),
	issuedAt: times,
	expirationTime: orNull(times),
	notBefore: orNull(times),
	requestId: orNull(text("ab1-:@", 0, 10)),
	resources: orNull(fc.array(fc.webUrl(), { maxLength: 4 })),
});

describe("any message", () => {
	test("[TRD-10] a rendered message is parsed back field by field", () => {
		fc.assert(
			fc.property(messages, (message) => {
				expect(read(renderSiweMessage(message))).toEqual(message);
			}),
		);
	});

	test("[TRD-10] a text with one character changed is refused, or parsed to the changed value", () => {
		const changes = fc.tuple(
			messages,
			fc.nat(),
			fc.constantFrom("", "\n", " ", "0", "ü", "\r", "A"),
		);
		fc.assert(
			fc.property(changes, ([message, place, put]) => {
				const written = renderSiweMessage(message);
				const at = place % written.length;
				const changed = written.slice(0, at) + put + written.slice(at + 1);
				const reading = parseSiweMessage(changed);
				if (reading.kind === "message") expect(renderSiweMessage(reading.message)).toBe(changed);
			}),
			{ numRuns: 2_000 },
		);
	});
});
