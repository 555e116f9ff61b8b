import { expect, test } from "bun:test";
import { isSqlState } from "#core/db/isSqlState.ts";

test("an error is PostgreSQL's with a code, and nothing else is", () => {
	const error = Object.assign(new Error("refused"), { code: "23505" });
	expect(isSqlState(error, "unique_violation")).toBe(true);
	expect(isSqlState(error, "check_violation")).toBe(false);
	for (const other of [new Error("23505"), { code: "23505" }, null, "23505"]) {
		expect(isSqlState(other, "unique_violation")).toBe(false);
	}
});
