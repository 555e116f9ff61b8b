import { expect, test } from "bun:test";
import { maskValue } from "#core/config/maskValue.ts";

test("a value whose name says that it is secret is hidden whole", () => {
	const names = [
		"OPENAI_API_KEY",
		"SESSION_SECRET",
		"SOCIAL_ACCESS_TOKEN",
		"SMTP_PASSWORD",
		"SIGNER_KEYS_JSON",
		"DATABASE_URL",
		"REDIS_URL",
	];
	for (const name of names) expect(maskValue({ name, text: "postgres://u:p/q@h/db" })).toBe("***");
});

test("a value declared secret is hidden whatever its name", () => {
	expect(maskValue({ name: "SOCIAL_CONSUMER", text: "x", declaredSecret: true })).toBe("***");
});

test("in a URL the credentials, query values, fragment and key-like path parts are hidden", () => {
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

test("every URL inside JSON and lists is masked, the rest stays readable", () => {
	const text = '{"1":["https://a.example/v3/0123456789abcdef","wss://b.example?key=x"]}';
	expect(maskValue({ name: "CHAIN_RPC_URLS_JSON", text })).toBe(
		'{"1":["https://a.example/v3/***","wss://b.example?key=***"]}',
	);
});

test("what is no URL and no secret is shown", () => {
	expect(maskValue({ name: "CHAINS", text: "base,ethereum" })).toBe("base,ethereum");
});

test("[SEC-07] a short key in an endpoint's path is hidden too", () => {
	const text = "https://eth-mainnet.example/v2/KEYKEY123456";
	expect(maskValue({ name: "CHAIN_RPC_URLS_JSON", text })).toBe(
		"https://eth-mainnet.example/v2/***",
	);
});
