import { z } from "zod";
import { cancellationSchema } from "#plugins/wallets/cancel/cancellationSchema.ts";
import { WAITING_LISTED_MAX } from "#plugins/wallets/watch/limits.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

const reasons = Object.keys(waitWords);

/** How operators are shown intents that wait. What cannot be read is null. */
export const waitingSchema = z.object({
	intents: z.array(
		z.object({
			id: z.string(),
			kind: z.string(),
			status: z.string(),
			reason: z.string().meta({ description: `One of ${reasons.join(", ")}.` }),
			waitsFor: z.string(),
			actions: z
				.array(
					z.object({
						name: z.enum(["callOff", "transactionHash", "abandon", "ownerCancels", "repairRow"]),
						does: z.string(),
					}),
				)
				.meta({
					description:
						"What is available now: what `resolve` takes; `ownerCancels` by a link or in their wallet; " +
						"`repairRow` by hand. Empty where " +
						"there is nothing to do but to wait for what `waitsFor` says.",
				}),
			cancellation: cancellationSchema,
			walletId: z.string().nullable(),
			chainId: z.int().nullable(),
			sender: z.string().nullable(),
			nonce: z.int().nullable(),
			transactionHash: z.string().nullable(),
			since: z.iso.datetime().nullable(),
		}),
	),
	hasMore: z.boolean().describe(`There are more than ${WAITING_LISTED_MAX}.`),
});
