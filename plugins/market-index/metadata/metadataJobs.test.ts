import { expect, test } from "bun:test";
import { COLLECTIONS_PER_JOB_MAX } from "#plugins/market-index/metadata/limits.ts";
import {
	COLLECTION_METADATA_TASK,
	CURRENCY_METADATA_TASK,
	collectionJobs,
	currencyJob,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

test("a thing's job has one key, so that one thing queues once, and waits behind what moves a figure", () => {
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
