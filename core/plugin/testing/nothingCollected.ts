import type { Collected } from "#core/plugin/Plugin.ts";

/** Answers what a plugin collects where it is tested alone: nobody has tools, commands or names. */
export const nothingCollected = (): Collected => ({
	tools: [],
	commands: [],
	names: [],
	callerOf: async () => null,
});
