// Answers `help`, from the list of all commands.

import { z } from "zod";
import { shapeOf } from "#agent/grammar/Grammar.ts";
import { type AnyTool, type Command, defineTool, type Tool } from "#core/plugin/Tool.ts";

const EXAMPLES_SHOWN = 4;

const entrySchema = z.strictObject({
	command: z.string(),
	summary: z.string(),
	examples: z.array(z.string()),
	capability: z.string(),
	effect: z.enum(["read", "prepare", "execute"]),
	/** Says whether callers who are not signed in get an answer, too. */
	access: z.enum(["everybody", "profile"]),
});
type Entry = z.output<typeof entrySchema>;

const outputSchema = z.strictObject({
	topic: z.string().nullable(),
	commands: z.array(entrySchema),
});

export type Help = {
	tool: Tool<{ topic?: string | undefined }, z.output<typeof outputSchema>>;
	command: Command;
};

/**
 * Makes the command `help` and its tool from all other commands. A topic is the name of a command,
 * or of a group of them. A plugin's command gets its help from its summary and examples alone.
 */
export function createHelp(commands: readonly Command[], tools: readonly AnyTool[]): Help {
	const entries = [OWN, ...commands.map((command) => entryOf(command, tools))];
	const names = entries.flatMap(({ command, capability }) => [command, topicOf(capability)]);
	// Includes `help` itself, because the list must not be empty.
	const topics = [...new Set(["help", ...names])].filter((name) => /^[a-z][a-z0-9-]*$/.test(name));
	return {
		tool: defineTool({
			name: "read_help",
			title: "Help",
			description:
				"Lists the commands that the agent reads, with examples. `topic` is a command's name or a " +
				"group's; without it, all.",
			capability: "help",
			effect: "read",
			access: "everybody",
			input: z.strictObject({ topic: z.enum(topics).optional() }),
			output: outputSchema,
			run: async ({ topic = null }) => ({
				kind: "done",
				output: { topic, commands: entries.filter((entry) => isAbout(entry, topic)) },
			}),
			line: ({ topic, commands: found }) => lineOf(topic, found),
			asOfMs: () => null,
		}),
		command: {
			name: "help",
			forms: [
				"help [{topic}]",
				"(commands|menu|start)",
				"(what|how) can (you|u) do",
				"what (you|u) (can do|do)",
				"what do (you|u) do",
				"what can i (ask|do|type|say) [(you|u|here)]",
				"what (does|do|is|are) [(a|the)] {topic} [price] (mean|means)",
				"(who|what) are (you|u)",
				"how does (this|it) [(bot|thing)] work",
				"how (do|to) [i] use (this|it) [(bot|thing)]",
			],
			slots: { topic: { kind: "word", of: topics } },
			tool: "read_help",
			summary: OWN.summary,
			examples: OWN.examples,
		},
	};
}

const OWN: Entry = {
	command: "help",
	summary: "what you can ask; with a word, about that",
	examples: ["help"],
	capability: "help",
	effect: "read",
	access: "everybody",
};

/** Returns one line of examples to type; also used in the reply to a text that nothing reads. */
export function tryWords(examples: readonly string[]): string {
	return examples.map((example) => `"${example}"`).join(", ");
}

/**
 * Returns a command's entry. One that moves value is shown as its shape: the owner sets amounts.
 */
function entryOf(command: Command, tools: readonly AnyTool[]): Entry {
	const { name, summary, tool } = command;
	const {
		capability = "other",
		effect = "read",
		access = "everybody",
	} = tools.find((one) => one.name === tool) ?? {};
	const examples = effect === "read" ? [...command.examples] : [shapeOf(command)];
	return { command: name, summary, examples, capability, effect, access };
}

function isAbout({ command, capability }: Entry, topic: string | null): boolean {
	return topic === null || command === topic || topicOf(capability) === topic;
}

function topicOf(capability: string): string {
	return capability.replaceAll("_", "-");
}

function lineOf(topic: string | null, found: readonly Entry[]): string {
	const [only] = found;
	if (topic !== null && found.length === 1 && only) {
		return `${only.command}: ${only.summary.replace(/\.$/, "")}. Try ${tryWords(only.examples.slice(0, 2))}`;
	}
	// Commands that need no sign-in come first: their examples work as they are.
	const others = found.filter(({ command }) => command !== OWN.command);
	const first = others.toSorted((one, other) => rankOf(one) - rankOf(other));
	const examples = first.flatMap(({ examples: [example] }) => example ?? []);
	return `Try ${tryWords(examples.slice(0, EXAMPLES_SHOWN))}. ${found.length} commands in all`;
}

function rankOf({ access, effect }: Entry): number {
	return (access === "everybody" ? 0 : 2) + (effect === "read" ? 0 : 1);
}
