import { expect, test } from "bun:test";
import { programFile } from "#api/launch/bundleOf.ts";
import { sourceOf } from "#api/launch/places.ts";

const made = () => "/bundle.js";

test("a program runs from its bundle, or from its sources if there can be no bundle", () => {
	expect(programFile("start", {}, made)).toBe("/bundle.js");
	expect(programFile("start", { PLUGINS: " " }, made)).toBe("/bundle.js");
	expect(programFile("up", {}, () => null)).toBe(sourceOf("up"));
});

test("a program with third-party plugins runs from its sources", () => {
	expect(programFile("start", { PLUGINS: "./mine.ts" }, made)).toBe(sourceOf("start"));
});
