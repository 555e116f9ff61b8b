import { expect, test } from "bun:test";
import { z } from "zod";
import { limitParam } from "#plugins/market-index/schemas/params.ts";

const limit = limitParam(50, 200);

test("a limit is a whole number from 1 to the maximum, and has a default", () => {
	expect([undefined, "1", "200"].map((text) => limit.parse(text))).toEqual([50, 1, 200]);
	for (const text of ["0", "201", "-1", "+5", "05", "1.0", "1e2", "0x1", " 5", "5 ", "", "٥"]) {
		expect(limit.safeParse(text).success).toBe(false);
	}
});

test("the API's document shows a limit as the integer it means", () => {
	const shown = z.toJSONSchema(limit, { io: "input", unrepresentable: "any" });
	expect(shown).toMatchObject({ type: "integer", minimum: 1, maximum: 200 });
});
