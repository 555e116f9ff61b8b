import { expect, test } from "bun:test";
import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { renderEnvExample } from "#core/config/renderEnvExample.ts";

const shared = z.string().optional().describe("Shared.");
const first = {
	owner: "first",
	schema: z.object({
		FIRST_SIZE: z.int().min(1).max(9).default(5).describe("How many."),
		FIRST_TAGS: commaList(z.string()).default(["a", "b"]).describe("Which."),
		FIRST_API_KEY: z.string().min(20).describe("The key."),
		SHARED_URL: shared,
	}),
};
const second = { owner: "second", schema: z.object({ SHARED_URL: shared }) };

test("every variable stands under its owner with description, expectation and default", () => {
	expect(renderEnvExample([first, second]).split("\n").slice(1).join("\n")).toBe(`
# --- first ---

# How many. Takes a whole number from 1 to 9.
#FIRST_SIZE=5

# Which.
#FIRST_TAGS=a,b

# Required. The key. Takes a text of at least 20 characters.
FIRST_API_KEY=

# Shared.
#SHARED_URL=
`);
});

test("no line is wider than a screen", () => {
	const long = {
		owner: "x",
		schema: z.object({ X: z.string().optional().describe("word ".repeat(80)) }),
	};
	const text = renderEnvExample([long, { owner: "core", schema: coreConfig }]);
	for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
	expect(text.match(/word/g)).toHaveLength(80);
});
