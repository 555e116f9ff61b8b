import { expect, test } from "bun:test";
import { createHeapRelief } from "#core/memory/createHeapRelief.ts";

function startRelief() {
	let resident = 0;
	let collected = 0;
	const relieve = createHeapRelief({
		residentBytesAim: 100,
		residentBytesMax: 120,
		residentBytes: () => resident,
		collect: () => void collected++,
	});
	return {
		/** How often memory was collected after so many pieces of work at a size. */
		after(pieces: number, bytes: number): number {
			resident = bytes;
			collected = 0;
			for (let piece = 0; piece < pieces; piece++) relieve();
			return collected;
		},
	};
}

test("memory is collected only once the process has grown beyond its aim", () => {
	expect(startRelief().after(10, 100)).toBe(0);
});

test("beyond its aim every second piece of work is followed by it, near the limit each", () => {
	const relief = startRelief();
	expect(relief.after(10, 101)).toBe(5);
	expect(relief.after(10, 121)).toBe(10);
	expect(relief.after(1, 101)).toBe(0);
	expect(relief.after(1, 101)).toBe(1);
});

test("by default it looks at this very process, and its collector really runs", () => {
	const relieve = createHeapRelief({ residentBytesAim: 0, residentBytesMax: 1 });
	expect(relieve).not.toThrow();
});
