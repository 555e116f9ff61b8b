// Lets an owner name the transaction that their own wallet sent for an intent.

import { Elysia } from "elysia";
import { z } from "zod";
import { isWord } from "#core/chain/Hex.ts";
import { ANY_CASE_WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { dbFault } from "#core/db/Database.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { type LinkContext, linkFault } from "#plugins/wallets/link/createLinks.ts";
import { linkNamedSchema } from "#plugins/wallets/link/linkSchema.ts";
import { outcomeOf } from "#plugins/wallets/link/readLinked.ts";

const namedSchema = z
	.object({
		intentId: z.uuid().meta({
			description: "An intent of yours.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
		transactionHash: z
			.string()
			.max(66)
			.toLowerCase()
			.refine(isWord, "must be 32 bytes in hex")
			.meta({
				pattern: ANY_CASE_WORD_PATTERN,
				description: "The transaction that your own wallet sent for it.",
				examples: [`0x${"5d".repeat(32)}`],
			}),
	})
	.meta({ id: "TransactionNamed", description: "Which transaction was sent for an intent." });

/**
 * Takes the hash of what an owner's wallet sent, also in place of one that was told before: a
 * wallet that replaces or speeds up a transaction gives it another hash. The chain decides what it
 * is.
 */
export function nameTransaction(context: LinkContext) {
	const { authenticate, execution } = context;
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.post(
			"/trading/transactions",
			async ({ principal, body, set }) => {
				set.headers["cache-control"] = "no-store";
				const { intentId, transactionHash } = body;
				const own = await execution.read(intentId, principal.profile.id);
				if (!own) throw linkFault.notFound({ public: "There is no such intent." });
				const intent = await execution.signed(intentId, transactionHash);
				return { id: intent.id, ...outcomeOf(context, intent) };
			},
			{
				body: namedSchema,
				response: { 200: linkNamedSchema },
				detail: {
					operationId: "nameTransaction",
					tags: ["trading"],
					summary: "Names the transaction that your own wallet sent for an intent",
					description:
						"Also in place of a hash that was told before, as long as no node has shown that one: a " +
						"wallet that speeds a transaction up, or replaces it, gives it another hash. The chain " +
						"decides whether it is what was planned.",
					security: [{ session: [] }],
					...canFail(
						linkFault.notFound,
						executionFault.intentState,
						executionFault.transactionOther,
						dbFault.outcomeUnknown,
					),
				},
			},
		);
}
