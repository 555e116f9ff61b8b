import { expect, test } from "bun:test";
import { createEventReader } from "#plugins/provider/stream/read/createEventReader.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";
import { enveloped, sampleEvents } from "#plugins/provider/stream/testing/sampleEvents.ts";

test("an event that came already is read once, a newer revision of it again", () => {
	const read = createEventReader({ ...manualTime(), chains: { idOf: () => 1 } });
	const listed = (version: number) => ({
		joinRef: null,
		ref: null,
		topic: "collection:cats",
		event: "item_listed",
		payload: enveloped("item_listed", sampleEvents.listed(), version),
	});
	expect(read(listed(1), "cats").kind).toBe("push");
	expect(read(listed(1), "cats")).toEqual({ kind: "left_out", why: "repeated" });
	expect(read(listed(2), "cats").kind).toBe("push");
});
