import { expect, test } from "bun:test";
import { rpcUrls } from "#core/config/rpcUrls.ts";

test("one endpoint may stand alone", () => {
	expect(rpcUrls.parse("http://127.0.0.1:8545")).toEqual(["http://127.0.0.1:8545"]);
	expect(rpcUrls.parse(["https://a.example/v2/key", "wss://b.example"])).toHaveLength(2);
});

test("what is no endpoint, none at all and more than eight are refused", () => {
	for (const value of [
		"file:///etc/passwd",
		"//a.example",
		"https://",
		"https://a b",
		"",
		[],
		null,
		Array(9).fill("https://a.example"),
	]) {
		expect({ value, ok: rpcUrls.safeParse(value).success }).toEqual({ value, ok: false });
	}
});
