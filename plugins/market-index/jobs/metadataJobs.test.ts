import { expect, test } from "bun:test";
import {
	COLLECTION_METADATA_TASK,
	CURRENCY_METADATA_TASK,
	collectionJobs,
	currencyJob,
} from "#plugins/market-index/jobs/metadataJobs.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

test("a thing's job has one key, so that one thing queues once, and waits behind what moves a figure", () => {
	expect(collectionJobs([{ id: 7 }, { id: 8 }])).toEqual([
		{
			task: COLLECTION_METADATA_TASK,
			payload: { collectionId: 7 },
			key: `${COLLECTION_METADATA_TASK}:7`,
			priority: 10,
		},
		{
			task: COLLECTION_METADATA_TASK,
			payload: { collectionId: 8 },
			key: `${COLLECTION_METADATA_TASK}:8`,
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
