import { expect, test } from "bun:test";
import { z } from "zod";
import { secretsOf } from "#core/config/secretsOf.ts";

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

test("every variable that a schema declares secret, of whatever plugin, is one", () => {
	expect(secretsOf([core, social], { SOCIAL_CONSUMER: " c4n4ry " })).toEqual(["c4n4ry"]);
});

test("a name that says so is enough, also where no schema knows it", () => {
	expect(secretsOf([core], { SOMEBODYS_API_KEY: "c4n4ry", SOMEBODYS_PLACE: "home" })).toEqual([
		"c4n4ry",
	]);
});

test("of a database's URL both the whole and its password are", () => {
	const url = "postgres://svc:p4,ss/w0rd@db/tapeline";
	const secrets = secretsOf([core], { DATABASE_URL: url });
	expect(secrets).toContain(url);
	expect(secrets).toContain("p4,ss/w0rd");
});

test("of other URLs what is secret in them is, in lists and in JSON with its escapes", () => {
	const secrets = secretsOf([social], {
		RPC_URLS_JSON: String.raw`{"1":["https:\/\/a.example\/v2\/KEYKEY\u0031\u0032","wss://u:pw@b"]}`,
		GATEWAY_URLS: "https://x.example?key=one,https://y.example/v3/TWO22222",
	});
	expect(secrets).toEqual(expect.arrayContaining(["KEYKEY12", "pw", "one", "TWO22222"]));
	expect(secrets.join()).not.toContain("example");
});

test("a configuration that will be refused has its secrets all the same", () => {
	const secrets = secretsOf([social], { RPC_URLS_JSON: '{"1": "https://a.example/v2/KEYKEY12",' });
	expect(secrets).toEqual(["KEYKEY12"]);
});

test("what is neither is none, and nothing is taken from variables of others", () => {
	expect(secretsOf([core, social], { PORT: "4000", OTHER: "https://u:pw@h", PATH: "/x" })).toEqual(
		[],
	);
});
