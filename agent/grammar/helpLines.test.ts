import { expect, test } from "bun:test";
import { helpLines } from "#agent/grammar/helpLines.ts";
import { commands } from "#agent/grammar/testing/commands.ts";

test("help shows each command as it is typed, and what it does", () => {
	const lines = helpLines(commands);
	expect(lines).toHaveLength(commands.length);
	expect(lines[0]).toBe("floor <collection> [on <chain>]: Answers floor.");
});
