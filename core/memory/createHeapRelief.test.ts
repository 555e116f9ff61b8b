import { expect, test } from "bun:test";
import { createHeapRelief } from "#core/memory/createHeapRelief.ts";

test("memory is collected only once the process has grown beyond its size", () => {
	let resident = 100;
	let collected = 0;
	const relieve = createHeapRelief({
		residentBytesMax: 100,
		residentBytes: () => resident,
		collect: () => void collected++,
	});
	relieve();
	expect(collected).toBe(0);
	resident = 101;
	relieve();
	relieve();
	expect(collected).toBe(2);
});

test("by default it looks at this very process, and its collector really runs", () => {
	expect(() => createHeapRelief({ residentBytesMax: 1 })()).not.toThrow();
});
