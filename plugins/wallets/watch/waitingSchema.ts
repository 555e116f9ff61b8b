import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { cancellationSchema } from "#plugins/wallets/cancel/cancellationSchema.ts";
import { WAITING_LISTED_MAX } from "#plugins/wallets/watch/WaitReason.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

const reasons = Object.keys(waitWords);

const actionSchema = z
	.object({
		name: z
			.enum(["callOff", "transactionHash", "abandon", "ownerCancels", "repairRow"])
			.meta({ description: "What `resolve` takes, or who else acts." }),
		does: field.text(
			"What it does, as a sentence.",
			"Uses its nonce for a transaction of nothing.",
		),
	})
	.meta({ id: "WaitingAction", description: "Something that can be done about an intent now." });

const waitingIntentSchema = z
	.object({
		id: field.id("The intent."),
		kind: field.text("What kind of intent it is.", "wallet_transfer"),
		status: field.text("Where it stands.", "uncertain"),
		reason: field.text(`One of ${reasons.join(", ")}.`, reasons[0] ?? ""),
		waitsFor: field.text("What it waits for, as a sentence.", "A node to show the transaction."),
		actions: z.array(actionSchema).meta({
			description:
				"What is available now: what `resolve` takes; `ownerCancels` by a link or in their wallet; " +
				"`repairRow` by hand. Empty where there is nothing to do but to wait for what `waitsFor` says.",
		}),
		cancellation: cancellationSchema,
		walletId: field
			.text("The wallet that pays.", "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69")
			.nullable(),
		chainId: z
			.int()
			.nullable()
			.meta({ description: "EIP-155 id of the chain.", examples: [1] }),
		sender: field.addressText("The address that pays.").nullable(),
		nonce: z
			.int()
			.nullable()
			.meta({ description: "The nonce that it has.", examples: [7] }),
		transactionHash: field.hashText("Its transaction; null where none is known.").nullable(),
		since: z.iso
			.datetime()
			.nullable()
			.meta({
				description: "Since when it waits.",
				examples: ["2026-03-01T12:00:00.000Z"],
			}),
	})
	.meta({
		id: "WaitingIntent",
		description: "An intent that waits for longer than it should. What cannot be read is null.",
	});

/** How operators are shown intents that wait. What cannot be read is null. */
export const waitingSchema = z
	.object({
		intents: z.array(waitingIntentSchema).meta({ description: "The oldest first." }),
		hasMore: field.flag(`Whether there are more than ${WAITING_LISTED_MAX}.`),
	})
	.meta({ id: "WaitingIntentList", description: "Intents that wait, and what to do about each." });
