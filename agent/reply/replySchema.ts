import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

const linkSchema = z
	.object({
		rel: z.enum(["confirm", "sign", "cancel", "open"]).meta({ description: "What it is for." }),
		url: field.url("Where its owner does that.", "https://tapeline.example/links/7Qm0"),
	})
	.meta({ id: "ReplyLink", description: "A page to open." });

const suggestionSchema = z
	.object({
		label: field.text("Which choice it is.", "Kiln Folk (base)"),
		command: field.text("The whole command to send instead.", "floor kiln-folk on base"),
	})
	.meta({ id: "ReplySuggestion", description: "A command to send instead." });

/** The answer of the command route, for the OpenAPI document: `Reply` of the contract. */
export const replySchema = z
	.object({
		kind: z.enum(["done", "choose", "help", "refused"]).meta({
			description:
				"`done`: `data` is the answer. `choose`: the words fit several things, `suggestions` are the " +
				"choices. `help`: no command reads the text. `refused`: it was read and not done; `code` says why.",
		}),
		line: field.text(
			"One line of at most 200 characters, with the age of its figures. Nothing in it is a mention, " +
				"a link or a cashtag, whatever a collection is called.",
			"Kiln Folk: floor 0.51 ETH, 12 listed · 12 s ago",
		),
		command: field.text("The strict command that was read.", "floor kiln-folk").nullable(),
		isProposal: field.flag(
			"Whether a language model wrote that command. Then nothing was executed, at most proposed.",
		),
		tool: field.text("The tool that ran.", "read_floor").nullable(),
		data: z.unknown().meta({
			description:
				"The tool's output, of its `outputSchema` in the list of tools; null where none ran.",
			examples: [{ floorNative: 0.51 }],
		}),
		asOf: field.time("The time of the oldest figure; null where nothing ages.").nullable(),
		links: z.array(linkSchema).meta({ description: "What to open, such as a page to confirm at." }),
		suggestions: z
			.array(suggestionSchema)
			.meta({ description: "Commands to send instead: choices, or what is near." }),
		code: field.text("Why it is `help` or `refused`; stable.", "unknown_command").nullable(),
	})
	.meta({ id: "AgentReply", description: "The agent's answer to one text." });
