import { expect, test } from "bun:test";
import { createPublisher } from "#plugins/streams/createPublisher.ts";

const KIB = "x".repeat(1024);

function open() {
	const sent: [string, string][] = [];
	const turns: (() => void)[] = [];
	let looks = 0;
	const publisher = createPublisher({
		server: () => ({ publish: (topic, text) => sent.push([topic, text]) }),
		nextTurn: () => new Promise((resolve) => turns.push(resolve)),
		onTurnFull: () => {
			looks += 1;
		},
	});
	return { publisher, sent, turns, looks: () => looks };
}

test("what was published lessens the room until the turn has passed", async () => {
	const { publisher, sent, turns } = open();
	expect(publisher.roomBytes()).toBe(128 * 1024);
	publisher.publish("a", KIB);
	publisher.publish("b", KIB);
	expect(sent).toEqual([
		["a", KIB],
		["b", KIB],
	]);
	expect(publisher.roomBytes()).toBe(126 * 1024);
	const passed = publisher.nextTurn();
	expect(turns).toHaveLength(1);
	turns[0]?.();
	await passed;
	expect(publisher.roomBytes()).toBe(128 * 1024);
});

// Guarantee: between two checks for slow readers no more goes out than they may have unsent.
test("slow readers are checked after each 128 KiB, however small each text is", () => {
	const { publisher, looks } = open();
	for (let index = 0; index < 127; index += 1) publisher.publish("a", KIB);
	expect(looks()).toBe(0);
	publisher.publish("a", KIB);
	expect(looks()).toBe(1);
	for (let index = 0; index < 256; index += 1) publisher.publish("a", KIB);
	expect(looks()).toBe(3);
});

test("without a server nothing is published and nothing fails", () => {
	const publisher = createPublisher({
		server: () => undefined,
		nextTurn: async () => {},
		onTurnFull: () => {},
	});
	expect(() => publisher.publish("a", "text")).not.toThrow();
});
