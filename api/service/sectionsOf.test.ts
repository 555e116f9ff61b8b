import { expect, test } from "bun:test";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { pluginNames, sectionsOf } from "#api/service/sectionsOf.ts";

test("which plugins to load is read before anything else, whatever else is wrong", () => {
	expect(pluginNames({ PLUGINS: "./a.ts, b", PLUGINS_DISABLED: "streams", PORT: "none" })).toEqual({
		loaded: ["./a.ts", "b"],
		disabled: ["streams"],
	});
	expect(pluginNames({})).toEqual({ loaded: [], disabled: [] });
});

test("the runtime's section comes first, then one of each plugin", () => {
	const { core, all } = sectionsOf(builtinPlugins);
	expect(all.map(({ owner }) => owner)).toEqual([
		"core",
		...builtinPlugins.map(({ name }) => name),
	]);
	expect(all[0]).toBe(core);
});
