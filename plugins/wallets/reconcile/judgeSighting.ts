import type { Hex } from "#core/chain/Hex.ts";
import type { SeenTransaction, Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { selfTransfer } from "#plugins/wallets/submission/beginningOf.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** `other`: the chain knows the hash as another transaction. */
export type Seen =
	| {
			kind: "seen";
			transactionHash: Hex;
			sighting: Sighting;
			/** That it was reverted was said by a second source too. */
			isAgreed?: boolean;
	  }
	| { kind: "other"; sighting: Sighting };

/** What a transaction must be, to be the one that was planned. */
export type Expected = Pick<Plan, "from" | "to" | "valueRaw" | "data">;

/** Whether what the chain knows of a hash is the transaction that was planned. */
export function judgeSighting(
	{ log }: Pick<ExecutionDeps, "log">,
	given: { submission: Submission; plan: Expected; hash: Hex; sighting: Sighting },
): Seen {
	const { submission, plan, hash, sighting } = given;
	if (isPlanned(sighting.transaction, { plan, nonce: nonceExpected(submission) })) {
		return { kind: "seen", transactionHash: hash, sighting };
	}
	// What else used its nonce, its cancellation first of all, was never said to be the payment.
	if (hash === submission.transactionHash) {
		log.warn("a hash is not of the transaction that was planned", {
			intentId: submission.intentId,
			transactionHash: hash,
		});
	}
	return { kind: "other", sighting };
}

/**
 * Null where any will do: a payment's is chosen by its owner's wallet. A cancellation that this
 * wallet signs is one under the nonce that was asked for alone.
 */
function nonceExpected({ nonce, seenNonce, purpose }: Submission): number | null {
	return nonce ?? (purpose === "pay" ? null : seenNonce);
}

function isPlanned(
	transaction: SeenTransaction,
	{ plan, nonce }: { plan: Expected; nonce: number | null },
): boolean {
	return (
		transaction.from === plan.from &&
		transaction.to === plan.to &&
		transaction.valueRaw === plan.valueRaw &&
		transaction.data === plan.data &&
		(nonce === null || transaction.nonce === nonce)
	);
}

/** Mined so deep that the chain does not take it back. */
export function isFinal(
	{ settings }: Pick<ExecutionDeps, "settings">,
	{ receipt, headBlock }: Sighting,
): boolean {
	return receipt !== null && headBlock - receipt.blockNumber >= settings.finalDepthBlocks;
}

/** Whether two sightings have the same receipt, or none: the same block, with the same end. */
export function isSameReceipt(one: Sighting | null, other: Sighting | null): boolean {
	return (
		one?.receipt?.blockHash === other?.receipt?.blockHash &&
		one?.receipt?.succeeded === other?.receipt?.succeeded
	);
}

/** What a submission's transaction is on chain: its intent's plan, or nothing sent to itself. */
export function expectedOf({ purpose, chainId, sender }: Submission, plan: Plan): Expected {
	return purpose === "pay" ? plan : selfTransfer({ chainId, from: sender });
}
