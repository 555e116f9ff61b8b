import { expect, test } from "bun:test";
import { topicOf } from "#plugins/provider/stream/frame/topicOf.ts";

test("a collection's topic has its slug", () => {
	expect(topicOf("cool-cats_2")).toBe("collection:cool-cats_2");
	expect(topicOf("котики")).toBe("collection:котики");
});

test("nothing that is no slug becomes a topic, least of all every collection there is", () => {
	for (const slug of ["", "*", "a*", "a b", "a:b", "a\u0000", "a\u202eb", "a".repeat(257)]) {
		expect(topicOf(slug)).toBeNull();
	}
});
