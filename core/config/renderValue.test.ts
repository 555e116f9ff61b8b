import { expect, test } from "bun:test";
import { renderValue } from "#core/config/renderValue.ts";

test("a value is written as it would be typed", () => {
	expect(renderValue(true)).toBe("true");
	expect(renderValue(0)).toBe("0");
	expect(renderValue("")).toBe("");
	expect(renderValue(["a", "b"])).toBe("a,b");
	expect(renderValue({ a: [1] })).toBe('{"a":[1]}');
	expect(renderValue(new URL("https://a.example"))).toBe("https://a.example/");
	expect(renderValue(undefined)).toBeUndefined();
	expect(renderValue(null)).toBeUndefined();
});
