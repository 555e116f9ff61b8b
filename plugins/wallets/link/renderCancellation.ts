import type { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import type { CancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import { chainShown, type LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import type { linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import { selfTransfer } from "#plugins/wallets/submission/beginningOf.ts";

type Rendered = Pick<z.input<typeof linkSchema>, "transactions" | "total" | "request">;

const GWEI = { symbol: "gwei", decimals: 9 };
/** Of a chain that is not defined any more: every one we know has a coin like that. */
const COIN = { symbol: "ETH", decimals: 18 };

/**
 * Shows a cancellation as its owner reads it, and as their wallet is asked for it: what it does,
 * under which nonce, at which price, and which payment cannot be mined once it is.
 */
export function renderCancellation(
	{ chainOf }: Pick<LinkContext, "chainOf">,
	{ terms, planHash, intent }: { terms: CancelTerms; planHash: string; intent: Intent },
): Rendered {
	const { chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, paymentHash } = terms;
	const { from, to, data, valueRaw } = selfTransfer(terms);
	const { symbol } = chainOf(chainId)?.nativeCurrency ?? COIN;
	const gwei = (units: bigint) => `${formatAmount({ units, currency: GWEI })} gwei`;
	const cancels = intent.plan?.shown["summary"];
	const shown = {
		action: "cancel",
		summary:
			`Sends nothing, from your address to itself, under nonce ${nonce} and at a higher price than ` +
			"your payment with that nonce. Once this is mined, the payment cannot be.",
		...(typeof cancels === "string" && { cancels }),
		...(paymentHash && { cancelsTransaction: paymentHash }),
		nonce: String(nonce),
		maxFeePerGas: gwei(maxFeePerGas),
		maxPriorityFeePerGas: gwei(maxPriorityFeePerGas),
	};
	const spend = { amount: "0", amountRaw: "0", symbol, currency: ZERO_ADDRESS, usd: 0 };
	return {
		transactions: [
			{
				intentId: intent.id,
				chain: chainShown(chainOf, chainId),
				...{ from, to, recipient: to, spend, payments: [] },
				...{ valueRaw: String(valueRaw), data, planHash, shown },
			},
		],
		total: { amount: "0", symbol, usd: 0 },
		request: {
			...requestOf({ from, to, valueRaw, data, chainId }),
			nonce: hexQuantity(nonce),
			maxFeePerGas: hexQuantity(maxFeePerGas),
			maxPriorityFeePerGas: hexQuantity(maxPriorityFeePerGas),
		},
	};
}

/** Writes a transaction as EIP-1193's `eth_sendTransaction` takes it; a wallet adds the rest. */
export function requestOf({
	from,
	to,
	valueRaw,
	data,
	chainId,
}: Pick<Plan, "from" | "to" | "valueRaw" | "data" | "chainId">) {
	return { from, to, value: hexQuantity(valueRaw), data, chainId: hexQuantity(chainId) };
}
