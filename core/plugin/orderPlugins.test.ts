import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { ChainPoint } from "#core/plugin/ChainPoint.ts";
import { extensionPoint } from "#core/plugin/extensionPoint.ts";
import { orderPlugins } from "#core/plugin/orderPlugins.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";

function plugin(name: string, needs: string[] = [], rest: Partial<AnyPlugin> = {}): AnyPlugin {
	return {
		name,
		version: "1",
		config: z.object({}),
		needs: Object.fromEntries(needs.map((id) => [id, serviceKey<unknown>()(id)])),
		offers: serviceKey<unknown>()(name),
		setup: () => ({}),
		...rest,
	};
}

const order = (...plugins: AnyPlugin[]) => orderPlugins(plugins).map(({ name }) => name);
function problems(...plugins: AnyPlugin[]): string {
	try {
		orderPlugins(plugins);
	} catch (error) {
		return (error as { publicDetail: string }).publicDetail;
	}
	return "none";
}

describe("order", () => {
	test("each plugin comes after those it needs, and otherwise where it was given", () => {
		expect(order(plugin("c", ["a", "b"]), plugin("d"), plugin("b", ["a"]), plugin("a"))).toEqual([
			"a",
			"b",
			"c",
			"d",
		]);
		expect(order(plugin("z"), plugin("a"), plugin("m"))).toEqual(["z", "a", "m"]);
		expect(order()).toEqual([]);
	});

	test("any list without circles is ordered so that nobody comes before what it needs", () => {
		const lists = fc
			.integer({ min: 1, max: 12 })
			.chain((count) =>
				fc.tuple(
					fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 30 }),
					fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
				),
			);
		fc.assert(
			fc.property(lists, ([pairs, shuffled]) => {
				const plugins = shuffled.map((self) => {
					// Only on smaller numbers: no circles.
					const needs = pairs
						.filter(([from, to]) => from === self && to < self)
						.map(([, to]) => `p${to}`);
					return plugin(`p${self}`, [...new Set(needs)]);
				});
				const names = orderPlugins(plugins).map(({ name }) => name);
				expect(names.toSorted()).toEqual(plugins.map(({ name }) => name).toSorted());
				for (const { name, needs } of plugins) {
					for (const id of Object.keys(needs)) {
						expect(names.indexOf(id)).toBeLessThan(names.indexOf(name));
					}
				}
			}),
		);
	});
});

describe("refusals", () => {
	test("everything that is wrong is said at once", () => {
		const venue = extensionPoint<string>("venue");
		const text = problems(
			plugin("a", ["ghost"]),
			plugin("a", [], { offers: serviceKey<unknown>()("other") }),
			plugin("b", [], { offers: serviceKey<unknown>()("a") }),
			plugin("c", [], { contributes: [{ pointId: venue.id, value: "x" }] }),
			plugin("d", [], { tables: { schema: "shop", folder: "" } }),
			plugin("e", [], { tables: { schema: "shop", folder: "" } }),
			plugin("f", [], { tables: { schema: "core", folder: "" } }),
		);
		expect(text).toContain('two plugins are called "a"');
		expect(text).toContain('"a" and "b" both offer "a"');
		expect(text).toContain('"a" needs "ghost", which nobody offers');
		expect(text).toContain('"c" contributes to "venue", which nobody opens');
		expect(text).toContain('"d" and "e" both claim the schema "shop"');
		expect(text).toContain('the runtime and "f" both claim the schema "core"');
	});

	test("a circle is named by the way around it, also that of one plugin alone", () => {
		const circle = problems(plugin("a", ["b"]), plugin("b", ["c"]), plugin("c", ["b"]));
		expect(circle).toContain("a circle of needs: b → c → b");
		expect(problems(plugin("a", ["a"]))).toContain("a circle of needs: a → a");
	});

	test("two plugins with one command are refused", () => {
		const cli = [{ name: "decode", usage: "", summary: "", run: async () => 0 }];
		expect(problems(plugin("a", [], { cli }), plugin("b", [], { cli }))).toContain(
			'"a" and "b" both claim the command "decode"',
		);
	});

	test("a point is open where some plugin opens it, and the runtime opens that of chains", () => {
		const venue = extensionPoint<string>("venue");
		const contributes = [
			{ pointId: venue.id, value: "x" },
			{ pointId: ChainPoint.id, value: "y" },
		];
		expect(problems(plugin("a", [], { contributes }), plugin("b", [], { opens: [venue] }))).toBe(
			"none",
		);
	});
});
