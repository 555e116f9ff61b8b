import type { SendOutcome } from "#plugins/wallets/custody/Custody.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
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
	world: ExecutionWorld,
	given: HandOver,
): Promise<{ outcome: SendOutcome; sentAtMs: number | null }> {
	const outcome = await world.steps.run("custody.send", () => send(world, given));
	return { outcome, sentAtMs: await recordOutcome(world, { given, outcome }) };
}

/** A process that stood still since its commit is late: others may have drawn their conclusions. */
async function send(world: ExecutionWorld, given: HandOver): Promise<SendOutcome> {
	if (world.clock.nowMs() > given.handOverUntilMs) {
		return { kind: "refused", code: "hand_over_late", detail: "It was not handed over in time." };
	}
	const { providerWalletId, transaction, submissionId, validUntilMs } = given;
	return await world.custody.send({
		providerWalletId,
		transaction,
		referenceId: submissionId,
		validUntilMs,
		signal: AbortSignal.timeout(world.settings.sendTimeoutMs),
	});
}
