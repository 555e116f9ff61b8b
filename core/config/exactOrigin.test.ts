import { expect, test } from "bun:test";
import { exactOrigin } from "#core/config/exactOrigin.ts";

test("only what a browser would send is an origin", () => {
	for (const text of ["https://app.example", "http://localhost:3000", "http://[::1]:80"]) {
		expect({ text, ok: exactOrigin.safeParse(text).success }).toEqual({
			text,
			ok: text !== "http://[::1]:80",
		});
	}
});

test("a near miss is answered with the origin it means, a wildcard is not", () => {
	const messageOf = (text: string) => exactOrigin.safeParse(text).error?.issues[0]?.message;
	expect(messageOf("https://App.example/path")).toContain("did you mean https://app.example?");
	expect(messageOf("https://*.example")).not.toContain("did you mean");
});
