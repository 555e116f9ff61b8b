import { expect, test } from "bun:test";
import { openTerminal } from "#api/cli/serve.ts";

function stream(columns?: number) {
	const written: string[] = [];
	return { written, isTTY: true, columns, write: (text: string) => written.push(text) };
}

test("a progress line replaces the line before it, and the last one remains at the end", () => {
	const to = stream(80);
	const terminal = openTerminal(to);
	terminal?.redraw("1 of 2");
	terminal?.redraw("2 of 2");
	terminal?.end();
	terminal?.end();
	expect(to.written.join("")).toBe("\r\u001b[K1 of 2\r\u001b[K2 of 2\n");
});

test("a progress line is cut to the terminal's width, because a wrapped line could not be replaced", () => {
	for (const [columns, length] of [
		[10, 9],
		[undefined, 79],
	] as const) {
		const to = stream(columns);
		openTerminal(to)?.redraw("█".repeat(200));
		expect(to.written.join("").replace("\r\u001b[K", "")).toBe("█".repeat(length));
	}
});

test("a file and a pipe do not count as terminals", () => {
	expect(openTerminal({ write: () => true })).toBeNull();
	expect(openTerminal({ isTTY: false, write: () => true })).toBeNull();
});
