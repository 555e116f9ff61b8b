import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	CURRENCY_METADATA_TASK,
	collectionJobs,
	currencyJob,
	slugOf,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

describe("metadataJobs", () => {
	test("an object's job has one key, so that it queues once, and runs after jobs that change figures", () => {
		const fresh = Array.from({ length: COLLECTIONS_PER_JOB_MAX + 1 }, (_, id) => ({ id }));
		expect(collectionJobs(fresh)).toEqual([
			{
				task: COLLECTION_METADATA_TASK,
				payload: { collectionIds: fresh.slice(0, -1).map(({ id }) => id) },
				key: `${COLLECTION_METADATA_TASK}:0`,
				priority: 10,
			},
			{
				task: COLLECTION_METADATA_TASK,
				payload: { collectionIds: [COLLECTIONS_PER_JOB_MAX] },
				key: `${COLLECTION_METADATA_TASK}:${COLLECTIONS_PER_JOB_MAX}`,
				priority: 10,
			},
		]);
		expect(currencyJob(1, contractOf(9))).toEqual({
			task: CURRENCY_METADATA_TASK,
			payload: { chainId: 1, address: contractOf(9) },
			key: `${CURRENCY_METADATA_TASK}:1:${contractOf(9)}`,
			priority: 10,
		});
		// The same token on two chains is two tokens.
		expect(currencyJob(2, contractOf(9)).key).not.toBe(currencyJob(1, contractOf(9)).key);
	});
});

describe("slugOf", () => {
	test("a name becomes lower-case letters, digits and dashes", () => {
		expect(slugOf("Évil  Name <b>!")).toBe("evil-name-b");
		expect(slugOf("--CryptoPunks v2--")).toBe("cryptopunks-v2");
		expect(slugOf("ＦＵＬＬ width")).toBe("full-width");
		expect(slugOf(`${"a".repeat(63)}-b`)).toBe("a".repeat(63));
	});

	test("a name without letters that a URL allows has no slug", () => {
		for (const name of ["", "猫", "❤️", "---", " "]) expect(slugOf(name)).toBeNull();
	});

	test("a slug never looks like an address", () => {
		const address = `0x${"Ab".repeat(20)}`;
		for (const name of [address, `  ${address}!`, "0x", "0xCAFE", address.replace("0x", "０ｘ")]) {
			expect(slugOf(name)).toBeNull();
		}
		expect(slugOf("0xCats")).toBe("0xcats");
	});

	test("the slug of any name fits a URL and is its own slug", () => {
		const name = fc.string({ unit: "binary", maxLength: 200 });
		fc.assert(
			fc.property(fc.oneof(name, fc.string({ maxLength: 200 })), (text) => {
				const slug = slugOf(text);
				if (slug === null) return;
				expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
				expect(slug.length).toBeLessThanOrEqual(64);
				expect(slugOf(slug)).toBe(slug);
			}),
			{ numRuns: 2_000 },
		);
	});
});
