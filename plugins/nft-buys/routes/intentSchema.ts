import { z } from "zod";
import { cancellationSchema } from "#plugins/wallets/contract.ts";

/** A buy or an offer, as its owner sees it. */
export const intentSchema = z.object({
	id: z.string(),
	kind: z.enum(["buy", "offer"]),
	status: z.string().meta({
		description:
			"`created`, `rejected`, `confirmation_required`, `signature_required`, `submitting`, " +
			"`submitted`, `uncertain`, `confirmed`, `failed`, `expired` or `dry_run`.",
	}),
	errorCode: z.string().nullable(),
	chain: z.string(),
	contract: z.string(),
	tokenId: z.string().nullable(),
	quantity: z.string(),
	priceLimit: z.number().nullable().meta({ description: "In the chain's coin, for display." }),
	priceLimitRaw: z.string().nullable().meta({
		description: "In base units. Where the listing alone was named: its price.",
	}),
	orderHash: z.string().nullable().meta({
		description: "The listing that was named, or that was found. Null until there is one.",
	}),
	walletId: z
		.string()
		.nullable()
		.meta({ description: "Null where there was none that could pay." }),
	plan: z.record(z.string(), z.unknown()).nullable().meta({
		description: "What is or was to be signed, decoded. Null until it was planned.",
	}),
	planHash: z.string().nullable(),
	transactionHash: z.string().nullable(),
	cancellation: cancellationSchema,
	cancelUrl: z.string().nullable().meta({
		description:
			"A one-time link by which your own wallet signs its cancellation; in the answer to that alone.",
	}),
	createdAt: z.string(),
	changedAt: z.string(),
	expiresAt: z.string(),
});

export type IntentView = z.output<typeof intentSchema>;
