import type { Plan } from "#plugins/wallets/contract.ts";
import type { Expected } from "#plugins/wallets/reconcile/judgeSighting.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { selfTransfer } from "#plugins/wallets/submission/selfTransfer.ts";

/** What a submission's transaction is on chain: its intent's plan, or nothing sent to itself. */
export function expectedOf({ purpose, chainId, sender }: Submission, plan: Plan): Expected {
	return purpose === "pay" ? plan : selfTransfer({ chainId, from: sender });
}
