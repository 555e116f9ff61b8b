import { expect, test } from "bun:test";
import { DatabaseError } from "pg";
import { readBack } from "#core/db/readBack.ts";

test("what was read is answered, and what is wrong with the reading itself stays what it is", async () => {
	expect(await readBack(async () => 7)).toBe(7);
	const mistake = new TypeError("mine");
	expect(await readBack(() => Promise.reject(mistake)).catch((error) => error)).toBe(mistake);
});

test("a database that went away after the commit leaves no advice to do it again", async () => {
	const away = Object.assign(new DatabaseError("x", 1, "error"), { code: "57P01" });
	const failure = await readBack(() => Promise.reject(away)).catch((error) => error);
	expect(failure).toMatchObject({ code: "outcome_unknown", status: 503, cause: away });
});
