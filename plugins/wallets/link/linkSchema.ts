import { z } from "zod";
import { cancellationSchema } from "#plugins/wallets/cancel/cancellationSchema.ts";

const hex = (description: string) => z.string().meta({ description });

const chain = z.object({ id: z.number(), slug: z.string(), name: z.string() });

/** What a link is about, decoded: all that somebody needs before they say yes. */
export const linkSchema = z.object({
	purpose: z.enum(["confirm", "sign", "cancel"]).meta({
		description:
			"`confirm`: say yes, we send. `sign`: the owner's own wallet sends. `cancel`: it sends nothing " +
			"to itself under the nonce of a payment, so that this cannot be mined.",
	}),
	kind: z.string(),
	planHash: hex("Keccak-256 of what is shown here. It goes into the confirmation."),
	expiresAt: z.string().meta({ format: "date-time" }),
	expiresInMs: z.number().meta({ description: "For clocks that are not ours." }),
	transactions: z.array(
		z.object({
			intentId: z.string(),
			chain,
			from: z.string(),
			to: z.string().meta({ description: "What is called, or paid." }),
			recipient: z.string().nullable().meta({ description: "Who gets what leaves the wallet." }),
			spend: z
				.object({
					amount: z.string(),
					amountRaw: z.string(),
					symbol: z.string(),
					currency: z.string().meta({ description: "The zero address is the chain's coin." }),
					usd: z.number().nullable().meta({ description: "Null where no feed knows." }),
				})
				.meta({ description: "What leaves the wallet, without the network's fee." }),
			payments: z
				.array(
					z.object({
						recipient: z.string(),
						isSeller: z.boolean(),
						amount: z.string(),
						symbol: z.string(),
					}),
				)
				.meta({ description: "Who gets what of it. Empty where that is one recipient." }),
			valueRaw: z.string(),
			data: z.string(),
			planHash: z.string(),
			shown: z
				.record(z.string(), z.unknown())
				.meta({ description: "What it does, in the words of its kind; `summary` is a sentence." }),
		}),
	),
	total: z
		.object({ amount: z.string(), symbol: z.string(), usd: z.number().nullable() })
		.nullable()
		.meta({ description: "What leaves the wallet in all; null where that is several currencies." }),
	request: z
		.object({
			from: z.string(),
			to: z.string(),
			value: hex("Hex"),
			data: hex("Hex"),
			chainId: hex("Hex"),
			nonce: hex("Hex. For `cancel` alone, as the fees are.").optional(),
			maxFeePerGas: hex("Hex").optional(),
			maxPriorityFeePerGas: hex("Hex").optional(),
		})
		.nullable()
		.meta({ description: "For `sign` and `cancel`: what the browser's wallet is asked to send." }),
});

/** Where an intent stands, for whoever has a link to it. */
const outcome = z.object({
	kind: z.string(),
	status: z.string(),
	errorCode: z.string().nullable(),
	transactionHash: z.string().nullable(),
	cancellation: cancellationSchema,
	chain,
});

/** What a link came to, also where it is used or has run out. */
export const linkOutcomeSchema = z.object({ intents: z.array(outcome) });

/** What became of an answer to a link. */
export const linkUsedSchema = z.object({
	intents: z.array(
		outcome.extend({
			id: z.string(),
			nextUrl: z.string().nullable().meta({
				description: "Where it asks its owner again: to sign, or about what has changed.",
			}),
		}),
	),
});
