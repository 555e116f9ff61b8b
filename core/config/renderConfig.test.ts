import { expect, test } from "bun:test";
import { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import { renderConfig } from "#core/config/renderConfig.ts";

const core = { owner: "core", schema: coreConfig };
const social = {
	owner: "social",
	schema: z.object({
		SOCIAL_CONSUMER: z.string().meta({ secret: true }).describe("x"),
		SOCIAL_NOTE: z.string().describe("x"),
	}),
};

test("what is printed can be pasted into an issue: no password and no key is in it", () => {
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

test("defaults are printed, and so is what is not set", () => {
	const text = renderConfig([core], parseConfig([core], { CHAINS: "base,zora" }));
	expect(text).toContain("# --- core ---\nHOST=127.0.0.1\nPORT=4000\n");
	expect(text).toContain("\nCHAINS=base,zora\n");
	expect(text).toContain("\n# REDIS_URL is not set\n");
});
