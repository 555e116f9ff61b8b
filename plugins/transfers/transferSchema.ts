// Describes and renders wallet transfers, as answers show them.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { formatAmount } from "#core/money.ts";
import { transferRequest } from "#plugins/transfers/transferKind.ts";
import {
	cancellationSchema,
	INTENT_STATUSES,
	type Intent,
	intentCode,
	intentErrorSchema,
	type Profile,
	type Wallets,
} from "#plugins/wallets/contract.ts";

const ETH = { symbol: "ETH", decimals: 18 };

/** The id of a transfer in a path. */
export const transferParams = z.object({
	id: z.string().meta({
		description: "A transfer of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

const questionUrl = (what: string) =>
	field
		.url(
			`A one-time link for its owner, ${what}; in the answer that made it alone.`,
			"https://app.example.com/links/x7Zk",
		)
		.nullable();

/** A wallet transfer to one recipient. */
export const transferSchema = z
	.object({
		id: field.id("Names the transfer."),
		status: z.enum(INTENT_STATUSES).meta({
			description:
				"Where it stands. `rejected`, `confirmed`, `failed`, `expired` and `dry_run` are final; " +
				"`uncertain` may have been sent, and is looked up until that is known.",
		}),
		errorCode: intentCode("Why it was rejected, or failed, or is in doubt."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		fromWalletId: field.text(
			"The wallet that it leaves, by its id.",
			"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
		),
		from: field
			.addressText("That wallet's address; null where it is not linked any more.")
			.nullable(),
		recipient: field.addressText("Who gets it."),
		recipientIsContract: field
			.flag("Whether the recipient has code; null: nobody looked yet.")
			.nullable(),
		amount: field.decimal("In whole coins of `currency`, exact.", "0.05"),
		amountRaw: field.digits("In base units of `currency`: wei for ETH.", "50000000000000000"),
		currency: field.text("What is sent: ETH, or a token by its contract.", "ETH"),
		chain: field.text("Slug of the chain.", "ethereum"),
		chainId: field.integer("EIP-155 id of the chain.", 1),
		batchId: field.id("What was asked for with one request is judged as a whole.").nullable(),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		signUrl: questionUrl("to sign it"),
		confirmUrl: questionUrl("to say yes"),
		cancelUrl: questionUrl("by which their own wallet signs its cancellation"),
		createdAt: field.time("When it was asked for."),
		updatedAt: field.time("When it last changed."),
		expiresAt: field.time("What was not sent by then is not sent any more."),
	})
	.meta({ id: "Transfer", description: "A transfer of ETH or of a token to one recipient." });

/** The answer to a request that sends. */
export const createdTransfersSchema = z
	.object({
		transfers: z
			.array(transferSchema)
			.meta({ description: "One for each recipient, in the order of the request." }),
	})
	.meta({ id: "CreatedTransfers", description: "The transfers of one request." });

export const transferPageSchema = z
	.object({
		data: z.array(transferSchema).meta({ description: "Transfers, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "TransferPage", description: "A page of your wallet transfers." });

/**
 * Returns the link for each transfer that waits for its owner, by intent id. A batch is confirmed
 * as a whole by one link; each transaction that the owner's own wallet signs has its own.
 */
export async function linksOf(
	wallets: Pick<Wallets, "link">,
	intents: readonly Intent[],
): Promise<Map<string, string>> {
	const urls = new Map<string, string>();
	const confirming = intents.filter(({ status }) => status === "confirmation_required");
	const [first] = confirming;
	if (first) {
		const { url } = await wallets.link(first, "confirm");
		for (const { id } of confirming) urls.set(id, url);
	}
	for (const intent of intents.filter(({ status }) => status === "signature_required")) {
		urls.set(intent.id, (await wallets.link(intent, "sign")).url);
	}
	return urls;
}

/** Renders one transfer; with the link that asks its owner, if it was just created. */
export function renderTransfer(
	intent: Intent,
	given: {
		profile: Profile;
		chainOf(chainId: number): Chain | undefined;
		questionUrl?: string | undefined;
		/** The link to sign its cancellation, if that was requested. */
		cancelUrl?: string | null;
	},
): z.input<typeof transferSchema> {
	const { recipient, amountRaw, coin } = transferRequest.parse(intent.request);
	const { id, status, errorCode, error, walletId, chainId, batchId, transactionHash, plan } =
		intent;
	assert(walletId !== null, "a transfer names the wallet that it leaves");
	const wallet = given.profile.wallets.find((one) => one.id === walletId);
	const isContract = plan?.shown["recipientIsContract"];
	const url = given.questionUrl ?? null;
	const time = (ms: number) => new Date(ms).toISOString();
	return {
		id,
		status,
		errorCode,
		error,
		fromWalletId: walletId,
		from: plan?.from ?? wallet?.address ?? null,
		recipient,
		recipientIsContract: typeof isContract === "boolean" ? isContract : null,
		amount: formatAmount({ units: BigInt(amountRaw), currency: coin ?? ETH }),
		currency: coin?.address ?? "ETH",
		amountRaw,
		chain: given.chainOf(chainId)?.slug ?? String(chainId),
		chainId,
		batchId,
		transactionHash,
		cancellation: intent.cancellation,
		signUrl: status === "signature_required" ? url : null,
		confirmUrl: status === "confirmation_required" ? url : null,
		cancelUrl: given.cancelUrl ?? null,
		createdAt: time(intent.createdAtMs),
		updatedAt: time(intent.changedAtMs),
		expiresAt: time(intent.expiresAtMs),
	};
}
