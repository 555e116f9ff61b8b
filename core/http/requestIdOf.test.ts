import { expect, test } from "bun:test";
import { requestIdOf } from "#core/http/requestIdOf.ts";

const idOf = (given?: string) =>
	requestIdOf(
		new Request(
			"http://localhost/",
			given === undefined ? {} : { headers: { "x-request-id": given } },
		),
		() => "made",
	);

for (const id of ["a", "0198c1d2-7f1e-7a55", "A.b_c-9", "x".repeat(64)]) {
	test(`the caller's id "${id.slice(0, 20)}" is kept`, () => {
		expect(idOf(id)).toBe(id);
	});
}

// Guarantee: an id cannot inject text into our logs or headers.
for (const id of ["", "x".repeat(65), "a b", "a\tb", '"}', "<b>", "a,b", "ü", "../x"]) {
	test(`the caller's id ${JSON.stringify(id.slice(0, 20))} is replaced`, () => {
		expect(idOf(id)).toBe("made");
	});
}

test("without an id one is made", () => {
	expect(idOf()).toBe("made");
});
