import type { Collected } from "#core/plugin/Plugin.ts";

/** Answers what a plugin collects where it is tested alone: nobody has tools or commands. */
export const nothingCollected = (): Collected => ({
	tools: [],
	commands: [],
	callerOf: async () => null,
});
