import type { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { assert } from "#core/fault/assert.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { transferRequest } from "#plugins/transfers/TransferRequest.ts";
import type { transferSchema } from "#plugins/transfers/transferSchema.ts";
import type { Intent, Profile } from "#plugins/wallets/contract.ts";

const ETH = { symbol: "ETH", decimals: 18 };

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
	const { id, status, errorCode, walletId, chainId, batchId, transactionHash, plan } = intent;
	assert(walletId !== null, "a transfer names the wallet that it leaves");
	const wallet = given.profile.wallets.find((one) => one.id === walletId);
	const isContract = plan?.shown["recipientIsContract"];
	const url = given.questionUrl ?? null;
	const time = (ms: number) => new Date(ms).toISOString();
	return {
		id,
		status,
		errorCode,
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
