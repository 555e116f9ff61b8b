import { expect, test } from "bun:test";
import { varyWith } from "#core/http/varyWith.ts";

const cases: [existing: string | null | undefined, vary: string][] = [
	[null, "Origin"],
	[undefined, "Origin"],
	["", "Origin"],
	["Accept", "Accept, Origin"],
	["Accept,Cookie", "Accept,Cookie, Origin"],
	["X-Origin", "X-Origin, Origin"],
	["Origin", "Origin"],
	["accept, origin", "accept, origin"],
	["*", "*"],
];
for (const [existing, vary] of cases) {
	test(`${JSON.stringify(existing)} becomes ${vary}`, () => {
		expect(varyWith(existing, "Origin")).toBe(vary);
	});
}
