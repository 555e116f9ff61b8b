import { expect, test } from "bun:test";
import { readFrame, writeFrame } from "./readFrame.ts";

const frame = { joinRef: "1", ref: "2", topic: "collection:x", event: "phx_join", payload: {} };

test("frames of both versions mean the same", () => {
	expect(readFrame('["1","2","collection:x","phx_join",{}]')).toEqual(frame);
	const object = '{"topic":"collection:x","event":"phx_join","payload":{},"ref":2,"join_ref":1}';
	expect(readFrame(object)).toEqual(frame);
});

test("an answer is written in the version that the client speaks", () => {
	expect(writeFrame("2.0.0", frame)).toBe('["1","2","collection:x","phx_join",{}]');
	expect(JSON.parse(writeFrame("1.0.0", frame))).toEqual({
		topic: "collection:x",
		event: "phx_join",
		payload: {},
		ref: "2",
	});
});

for (const text of ["", "[]", "{}", "null", '["1"]', "not json", '{"topic":1,"event":"x"}']) {
	test(`${text || "nothing"} is no frame`, () => expect(readFrame(text)).toBeNull());
}
