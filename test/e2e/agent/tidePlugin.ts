import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { defineTool } from "#core/plugin/Tool.ts";

const harbors = new Map([
	["harbor", "high"],
	["bay", "low"],
	["bad idea cove", "low"],
]);

/** A foreign plugin: a tool and its command, which has its line of help by that. */
export const tidePlugin = definePlugin({
	name: "tide",
	version: "1",
	config: z.object({}),
	needs: {},
	setup: ({ core }) => ({
		tools: [
			defineTool({
				name: "read_tide",
				title: "Tide",
				description: "Says whether the water is high or low at a place.",
				capability: "tides",
				effect: "read",
				access: "everybody",
				input: z.strictObject({ place: z.string().max(40) }),
				output: z.strictObject({ place: z.string(), water: z.string(), atMs: z.number() }),
				async run({ place }) {
					const water = harbors.get(place) ?? "unknown";
					return { kind: "done", output: { place, water, atMs: core.clock.nowMs() } };
				},
				line: ({ place, water }) => `${place}: water ${water}`,
				asOfMs: ({ atMs }) => atMs,
			}),
		],
		commands: [
			{
				name: "tide",
				forms: ["tide {place}", "tide (of|at) {place}"],
				slots: { place: { kind: "collection" } },
				tool: "read_tide",
				topic: { words: ["water"] },
				summary: "Whether the water is high or low.",
				examples: ["tide harbor"],
			},
		],
		names: {
			find: async (groups) =>
				new Map(
					groups.filter((one) => harbors.has(one)).map((one) => [one, { kind: "collection" }]),
				),
		},
	}),
});
