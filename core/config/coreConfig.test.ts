import { expect, test } from "bun:test";
import { coreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { privateNetworks } from "#core/http/clients.ts";

const section = { owner: "core", schema: coreConfig };
const read = (env: Environment) => parseConfig([section], env).of(section);

test("the runtime starts without a single variable set", () => {
	expect(read({})).toEqual({
		HOST: "127.0.0.1",
		PORT: 4000,
		ROLE: "all",
		DATA_DIR: ".data",
		CHAINS: [],
		CHAIN_RPC_URLS_JSON: {},
		CHAIN_RPC_CALLS_PER_SECOND: {},
		CHAIN_RPC_COMPUTE_UNITS_JSON: {},
		RPC_BATCH_MAX: 250,
		RPC_QUORUM: 1,
		PLUGINS: [],
		PLUGINS_DISABLED: [],
		WEB_ALLOWED_ORIGINS: [],
		TRUSTED_PROXIES: [...privateNetworks],
		TRUSTED_PROXY_HOPS: 1,
		FOREIGN_FETCH_ENABLED: true,
		LOG_LEVEL: "info",
		SANDBOX: false,
	});
});

test("a full configuration is read", () => {
	const values = read({
		HOST: "0.0.0.0",
		PORT: "0",
		ROLE: "worker",
		DATABASE_URL: "postgres://user:p%40ss@db:5432/tapeline?sslmode=require",
		REDIS_URL: "rediss://cache:6380",
		CHAINS: "Base, ethereum,31337",
		CHAIN_RPC_URLS_JSON:
			'{"8453":["https://a.example","wss://b.example"],"Anvil":"http://127.0.0.1:8545"}',
		WEB_ALLOWED_ORIGINS: "https://app.example,http://localhost:3000",
		PUBLIC_URL: "https://market.example/",
		TRUSTED_PROXIES: "203.0.113.7, 2001:db8::/32",
		TRUSTED_PROXY_HOPS: "0",
		SANDBOX: "yes",
	});
	expect(values.CHAINS).toEqual(["base", "ethereum", "31337"]);
	expect(values.CHAIN_RPC_URLS_JSON).toEqual({
		"8453": ["https://a.example", "wss://b.example"],
		anvil: ["http://127.0.0.1:8545"],
	});
	expect(values.WEB_ALLOWED_ORIGINS).toEqual(["https://app.example", "http://localhost:3000"]);
	expect(values.PUBLIC_URL).toBe("https://market.example");
	expect(values.TRUSTED_PROXIES).toEqual(["203.0.113.7", "2001:db8::/32"]);
	expect(values.SANDBOX).toBe(true);
});

const refused: Record<string, string[]> = {
	PORT: ["-1", "65536", "4000.5", "http"],
	ROLE: ["API", "server"],
	DATABASE_URL: ["mysql://db/x", "db:5432", "postgres"],
	REDIS_URL: ["http://cache", "cache:6379"],
	CHAIN_RPC_URLS_JSON: [
		"https://a.example",
		"[]",
		"null",
		'{"8453":[]}',
		'{"8453":"ftp://a.example"}',
		'{"8453":["file:///etc/passwd"]}',
		'{"8453":["a.example"]}',
		'{"8453":[1]}',
		'{"8453":{}}',
		JSON.stringify({ "8453": Array(9).fill("https://a.example") }),
	],
	WEB_ALLOWED_ORIGINS: [
		"*",
		"https://*.example",
		"app.example",
		"https://app.example/",
		"https://app.example:443",
		"https://APP.example",
		"null",
		"file:///",
	],
	PUBLIC_URL: ["market.example", "ftp://market.example"],
	RPC_BATCH_MAX: ["0", "1001", "all"],
	RPC_REQUESTS_PER_SECOND_MAX: ["0", "-1", "10001", "many"],
	RPC_QUORUM: ["0", "9", "1.5", "most"],
	TRUSTED_PROXIES: ["10.0.0.0/33", "10.1/16", "proxy.example", "010.0.0.1", "::1/129", "*"],
	TRUSTED_PROXY_HOPS: ["-1", "yes", "11"],
	LOG_LEVEL: ["loud"],
	SANDBOX: ["on"],
};

for (const [name, texts] of Object.entries(refused)) {
	test(`${name} refuses an invalid value, and the error names the variable`, () => {
		for (const text of texts) expect(() => read({ [name]: text })).toThrow(`  ${name}  (core)`);
	});
}

test("an origin that browsers never send is refused, with the correct one in the message", () => {
	expect(() => read({ WEB_ALLOWED_ORIGINS: "https://app.example/" })).toThrow(
		"did you mean https://app.example?",
	);
});

test("the error for a refused list of endpoints does not show the keys in it", () => {
	const env = { CHAIN_RPC_URLS_JSON: '{"1":["https://rpc.example/v2/0123456789abcdef01","x"]}' };
	expect(() => read(env)).toThrow("https://rpc.example/v2/***");
});
