import { expect, test } from "bun:test";
import { inboundAllowance } from "#plugins/streams/inboundAllowance.ts";

test("twenty messages in ten seconds are taken, the next is too many until the window ends", () => {
	let nowMs = 5;
	const mayTalk = inboundAllowance({ nowMs: () => nowMs });
	const answers = Array.from({ length: 21 }, mayTalk);
	expect(answers).toEqual([...Array(20).fill(true), false]);
	nowMs = 10_004;
	expect(mayTalk()).toBe(false);
	nowMs = 10_005;
	expect(mayTalk()).toBe(true);
});
