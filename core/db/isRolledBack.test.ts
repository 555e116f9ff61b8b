import { expect, test } from "bun:test";
import { DatabaseError } from "pg";
import { isRolledBack } from "#core/db/isRolledBack.ts";

test("only a refusal that leaves the connection open proves that a commit was none", () => {
	const said = (severity: string) =>
		Object.assign(new DatabaseError("x", 1, "error"), { severity });
	expect(isRolledBack(said("ERROR"))).toBe(true);
	for (const error of [said("FATAL"), said("PANIC"), new Error("Connection terminated"), null]) {
		expect(isRolledBack(error)).toBe(false);
	}
});
