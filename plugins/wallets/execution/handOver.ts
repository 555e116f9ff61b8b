import type { SendOutcome } from "#plugins/custody/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { HandOver } from "#plugins/wallets/execution/handOverOf.ts";
import { recordOutcome } from "#plugins/wallets/execution/recordOutcome.ts";

/**
 * Hands one transaction over and writes down what is known of it. Called once for each record of
 * what is about to be handed over, by the process that wrote it; whoever dies in here leaves a
 * record that is looked up, and never handed over again.
 *
 * Answers also when it was written that it left; null where somebody was faster, or it did not.
 */
export async function handOver(
	deps: ExecutionDeps,
	given: HandOver,
): Promise<{ outcome: SendOutcome; sentAtMs: number | null }> {
	const outcome = await deps.steps.run("custody.send", () => send(deps, given));
	return { outcome, sentAtMs: await recordOutcome(deps, { given, outcome }) };
}

/** A process that stood still since its commit is late: others may have drawn their conclusions. */
async function send(deps: ExecutionDeps, given: HandOver): Promise<SendOutcome> {
	if (deps.clock.nowMs() > given.handOverUntilMs) {
		return { kind: "refused", code: "hand_over_late", detail: "It was not handed over in time." };
	}
	const { providerWalletId, transaction, submissionId, validUntilMs } = given;
	return await deps.custody.send({
		providerWalletId,
		transaction,
		referenceId: submissionId,
		validUntilMs,
		signal: AbortSignal.timeout(deps.settings.sendTimeoutMs),
	});
}
