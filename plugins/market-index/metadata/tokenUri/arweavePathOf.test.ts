import { expect, test } from "bun:test";
import { arweavePathOf } from "#plugins/market-index/metadata/tokenUri/arweavePathOf.ts";

const ID = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";

test("Arweave content is found by its transaction", () => {
	expect(arweavePathOf(`ar://${ID}`)).toBe(`/${ID}`);
	expect(arweavePathOf(`ar://${ID}/1.json`)).toBe(`/${ID}/1.json`);
	expect(arweavePathOf(`https://arweave.net/${ID}/1?ext=png`)).toBe(`/${ID}/1?ext=png`);
});

test("what is no transaction, or climbs out of one, is none", () => {
	const climbing = [`ar://${ID}/../x`, `ar://${ID}/%2e%2e/x`, `ar://${ID}x`];
	for (const uri of [...climbing, "ar://", "ar://short", `https://a.test/${ID}`, ID]) {
		expect(arweavePathOf(uri), uri).toBeNull();
	}
});
