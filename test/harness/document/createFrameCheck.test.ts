import { expect, test } from "bun:test";
import { streamRoutes } from "#plugins/streams/routes.ts";
import { createFrameCheck } from "#test/harness/document/createFrameCheck.ts";
import { documentsOf } from "#test/harness/document/documentsOf.ts";

// Guarantee: the check of the tests' frames can fail.

const { asyncApi } = documentsOf([streamRoutes({} as never)]);
const check = createFrameCheck(asyncApi);
const COLLECTION = "/v1/nft-market/collections/cats/stream?chain=anvil";
const DISCOVER = "/v1/nft-market/discover/stream";
const example = (type: string): any => {
	const message: any = asyncApi.components.messages[type];
	return message.examples[0].payload;
};

test("the example of every frame is one, on the streams that send it", () => {
	for (const type of ["hello", "ping", "snapshot_required", "pong", "error"]) {
		expect([type, check(COLLECTION, example(type))]).toEqual([type, undefined]);
		expect([type, check(DISCOVER, example(type))]).toEqual([type, undefined]);
	}
	for (const type of ["market_event", "floor_update", "candle_update"]) {
		expect([type, check(COLLECTION, example(type))]).toEqual([type, undefined]);
		expect(check(DISCOVER, example(type))).toContain("does not say that it sends");
	}
	expect(check(DISCOVER, example("discover_row"))).toBeUndefined();
});

test("an unknown type, reason or member is found, and so is one that is missing", () => {
	expect(check(COLLECTION, { ...example("ping"), type: "pling" })).toContain("pling");
	const snapshot = example("snapshot_required");
	expect(check(COLLECTION, { ...snapshot, data: { reason: "whim" } })).toContain("/data/reason");
	const floor = example("floor_update");
	expect(check(COLLECTION, { ...floor, data: { ...floor.data, mood: 1 } })).toContain("mood");
	const { observedAt: _, ...rest } = floor.data;
	expect(check(COLLECTION, { ...floor, data: rest })).toContain("observedAt");
	expect(check("/v1/elsewhere/stream", floor)).toContain("no channel");
});
