import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** How a reveal was noticed. */
export const detectionSchema = z
	.object({
		signal: z.enum(["poll", "block", "log", "metadata_event"]).meta({
			description:
				"What made the service look: its clock, a new block, a log of the contract, or an event of " +
				"ERC-4906.",
		}),
		evidence: z.enum(["uri_hash", "traits"]).meta({
			description: "What it saw: tokens with another URI, or traits where there were none.",
		}),
		blockNumber: field.integer("The block it was seen in; null = unknown.", 21_000_000).nullable(),
		blockAt: field.time("That block's time; null = unknown.").nullable(),
		detectedAt: field.time("When it was noticed."),
		delayMs: field
			.integer("From the block's time to then, in milliseconds; null = unknown.", 180)
			.nullable(),
	})
	.meta({ id: "RevealDetection", description: "How and when a reveal was noticed." });

export const revealStateSchema = z
	.enum(["unknown", "placeholder", "revealed"])
	.meta({ description: "`placeholder`: all tokens look alike. `revealed`: each shows its own." });

/** A frame of a reveal. */
export const revealSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		slug: field.text("The collection's slug.", "tidal-cats"),
		phase: z.enum(["placeholder", "detected", "revealed", "hidden_still"]).meta({
			description:
				"`placeholder`: its tokens look alike. `detected`: they no longer do, and all are read again. " +
				"`revealed`: all are read, counted and ranked. `hidden_still`: many of them still look alike.",
		}),
		revealState: revealStateSchema,
		detection: detectionSchema.nullable().meta({
			description: "How it was noticed; null where the state moved without a reveal.",
		}),
		occurredAt: field.time("When this was stored."),
	})
	.meta({ id: "Reveal", description: "Where a collection's reveal stands." });
