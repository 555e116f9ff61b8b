import { expect, test } from "bun:test";
import { renderFrames } from "#core/outbox/renderFrames.ts";

test("each frame of a batch has its own number and the batch's topic and time", () => {
	const frames = [
		{ type: "market_event", data: { a: 1 } },
		{ type: "floor_update", data: null },
	];
	const rendered = renderFrames({ topic: "t", seqFirst: 7, atMs: 1_700_000_000_123, frames });
	const at = "2023-11-14T22:13:20.123Z";
	expect(rendered.map(({ seq, text }) => ({ seq, frame: JSON.parse(text) }))).toEqual([
		{ seq: 7, frame: { type: "market_event", seq: 7, topic: "t", at, data: { a: 1 } } },
		{ seq: 8, frame: { type: "floor_update", seq: 8, topic: "t", at, data: null } },
	]);
});
