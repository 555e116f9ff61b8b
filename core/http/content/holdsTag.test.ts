import { expect, test } from "bun:test";
import { holdsTag } from "#core/http/content/holdsTag.ts";

const ETAG = 'W/"abc"';

test("a tag is found weak or strong, alone or among others, and by the star", () => {
	const held = [ETAG, '"abc"', ' W/"abc" ', '"x", W/"abc"', 'W/"x","abc",W/"y"', "*", " * "];
	for (const header of [...held, `${'"x", '.repeat(2_000)}"abc"`]) {
		expect([header.slice(0, 40), holdsTag(header, ETAG)]).toEqual([header.slice(0, 40), true]);
	}
});

test("what is no such tag is not", () => {
	const others = ["", "abc", '"ab"', '"abcd"', 'W/"ABC"', '"*"', "W/abc", '"abc', '"a" bc"', "**"];
	for (const header of others) expect([header, holdsTag(header, ETAG)]).toEqual([header, false]);
});
