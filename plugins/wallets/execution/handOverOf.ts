import type { CustodyTransaction } from "#plugins/custody/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { HAND_OVER_WITHIN_MS } from "#plugins/wallets/execution/executionConfig.ts";
import {
	type Beginning,
	type BeginningAsked,
	beginningOf,
} from "#plugins/wallets/submission/beginningOf.ts";
import type { SubmissionPurpose } from "#plugins/wallets/submission/Submission.ts";

/** What is handed over next, under the reference it is known by for ever. */
export type HandOver = {
	submissionId: string;
	intentId: string;
	purpose: SubmissionPurpose;
	profileId: string;
	providerWalletId: string;
	transaction: CustodyTransaction;
	handOverUntilMs: number;
	validUntilMs: number;
};

type HandOverAsked = Pick<BeginningAsked, "plan" | "gasLimit" | "account"> & {
	intent: { id: string; profileId: string };
	submissionId: string;
	/** Left out: a payment. */
	purpose?: SubmissionPurpose;
	providerWalletId: string;
	nonce: number;
};

/** Makes a hand-over, which counts once its beginning is written. */
export function handOverOf(
	deps: Pick<ExecutionDeps, "clock" | "settings" | "session">,
	given: HandOverAsked,
): { next: HandOver; beginning: Beginning } {
	const { intent, submissionId, plan, gasLimit, account, providerWalletId, nonce } = given;
	const nowMs = deps.clock.nowMs();
	const validUntilMs = nowMs + HAND_OVER_WITHIN_MS + deps.settings.sendTimeoutMs;
	const beginning = beginningOf(nonce, {
		plan,
		gasLimit,
		account,
		session: deps.session,
		at: new Date(nowMs),
		validUntil: new Date(validUntilMs),
	});
	const next = {
		submissionId,
		intentId: intent.id,
		purpose: given.purpose ?? ("pay" as const),
		profileId: intent.profileId,
		providerWalletId,
		transaction: beginning.transaction,
		handOverUntilMs: nowMs + HAND_OVER_WITHIN_MS,
		validUntilMs,
	};
	return { next, beginning };
}
