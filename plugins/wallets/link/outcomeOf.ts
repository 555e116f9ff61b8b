import type { z } from "zod";
import type { Intent } from "#plugins/wallets/contract.ts";
import { chainShown } from "#plugins/wallets/link/chainShown.ts";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import type { linkOutcomeSchema } from "#plugins/wallets/link/linkSchema.ts";

type Outcome = z.input<typeof linkOutcomeSchema>["intents"][number];

/** Where an intent stands: its state and its transactions, and nothing else of it or its owner. */
export function outcomeOf(
	{ chainOf }: Pick<LinkContext, "chainOf">,
	{ kind, status, errorCode, transactionHash, cancellation, chainId }: Intent,
): Outcome {
	const chain = chainShown(chainOf, chainId);
	return { kind, status, errorCode, transactionHash, cancellation, chain };
}
