import { expect, test } from "bun:test";
import fc from "fast-check";
import { urlSecrets } from "#core/config/urlSecrets.ts";

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
	test(`of ${url} secret is: ${secrets.join(" ") || "nothing"}`, () => {
		expect(urlSecrets(url)).toEqual(secrets);
	});
}

test("a password is found whole, whatever signs it has", () => {
	const password = fc.stringMatching(/^[^?#\s]{1,40}$/);
	fc.assert(
		fc.property(password, (text) => {
			expect(urlSecrets(`redis://svc:${text}@cache.example:6379/0`)[0]).toBe(text);
		}),
	);
});
