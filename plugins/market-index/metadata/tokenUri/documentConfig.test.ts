import { expect, test } from "bun:test";
import { z } from "zod";
import {
	documentConfig,
	gatewaysOf,
} from "#plugins/market-index/metadata/tokenUri/documentConfig.ts";

const schema = z.object(documentConfig);

test("gateways are read with or without a slash or /ipfs at their end", () => {
	const config = schema.parse({
		IPFS_GATEWAY_URLS: "http://10.0.0.7:8080/, https://a.test/ipfs/,https://b.test/x",
		ARWEAVE_GATEWAY_URL: "https://ar.test/",
	});
	expect(gatewaysOf(config)).toEqual({
		ipfs: ["http://10.0.0.7:8080", "https://a.test", "https://b.test/x"],
		arweave: "https://ar.test",
	});
	expect(gatewaysOf(schema.parse({})).ipfs).toEqual(["https://ipfs.io", "https://dweb.link"]);
});

test("what is no gateway or no exact origin is refused", () => {
	const wrong = [
		"ftp://a.test",
		"a.test",
		"https://u:p@a.test",
		"https://a.test/?x",
		"https://a.test/#x",
	];
	for (const url of wrong) {
		expect(schema.safeParse({ ARWEAVE_GATEWAY_URL: url }).success, url).toBe(false);
		expect(schema.safeParse({ IPFS_GATEWAY_URLS: url }).success, url).toBe(false);
	}
	const nine = Array.from({ length: 9 }, (_, index) => `https://${index}.test`).join();
	expect(schema.safeParse({ IPFS_GATEWAY_URLS: nine }).success).toBe(false);
	expect(schema.safeParse({ METADATA_ALLOWED_ORIGINS: "http://10.0.0.7/x" }).success).toBe(false);
});
