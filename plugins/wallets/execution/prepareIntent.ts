import { assert } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import { isOfOtherChain } from "#plugins/wallets/chain/isOfOtherChain.ts";
import type {
	Denial,
	Intent,
	Plan,
	Preparation,
	Profile,
	Signable,
	Wallet,
} from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import {
	CALLDATA_BYTES_MAX,
	PREPARE_TIMEOUT_MS,
} from "#plugins/wallets/execution/executionConfig.ts";

/**
 * Has the intent's kind say what would be sent, and holds that against what no kind may do: another
 * chain, another sender, another recipient than the deployment allows.
 *
 * What an upstream did wrong is a denial with its code: nothing was sent, so nothing is in doubt.
 * Who was called off has learned nothing of an upstream, and throws.
 */
export async function prepareIntent(
	deps: ExecutionDeps,
	given: { intent: Intent; wallet: Wallet; profile: Profile; signal: AbortSignal },
): Promise<Preparation> {
	const { intent, wallet, profile } = given;
	const kind = deps.kindOf(intent.kind);
	if (!kind) return denied("kind_disabled", `Nothing here handles "${intent.kind}" any more.`);
	const request = kind.request.safeParse(intent.request);
	if (!request.success) return denied("request_unreadable", "The stored request cannot be read.");
	const signal = AbortSignal.any([given.signal, AbortSignal.timeout(PREPARE_TIMEOUT_MS)]);
	const outbound = deps.kindSteps.run;
	try {
		const prepared = await kind.prepare(
			{ ...intent, request: request.data },
			{ wallet, profile, outbound, signal },
		);
		if (prepared.kind !== "plan") return prepared;
		const denial = planDenial(deps, { plan: prepared.plan, intent, wallet });
		return denial ? { kind: "denied", denial } : prepared;
	} catch (error) {
		if (!(error instanceof Fault) || given.signal.aborted) throw error;
		deps.log.warn("an intent could not be prepared", { intentId: intent.id, error });
		const code = isOfOtherChain(error) ? "chain_unavailable" : error.code;
		return denied(code, error.publicDetail);
	}
}

function denied(code: string, detail: string): Preparation {
	return { kind: "denied", denial: { code, detail } };
}

function planDenial(
	deps: ExecutionDeps,
	{ plan, intent, wallet }: { plan: Plan; intent: Intent; wallet: Wallet },
): Denial | null {
	assert(plan.chainId === intent.chainId, "a plan is for its intent's chain");
	assert(plan.from === wallet.address, "a plan is sent from its intent's wallet");
	assert((plan.data.length - 2) / 2 <= CALLDATA_BYTES_MAX, "calldata has a limit");
	assert(plan.valueRaw >= 0n && plan.spend.raw >= 0n, "nothing negative is paid");
	const { signs } = plan;
	if (signs) assertSignable(plan, signs);
	if (plan.expiresAtMs <= deps.clock.nowMs()) {
		return { code: "quote_expired", detail: "What was offered has run out." };
	}
	const { destinations } = deps.settings;
	const called = [plan.to, plan.recipient, signs?.spender].flatMap((one) => one ?? []);
	if (destinations.size > 0 && !called.every((address) => destinations.has(address))) {
		return { code: "policy_denied", detail: "The destination is not on the allow-list." };
	}
	return null;
}

/** What is signed and not sent calls nothing, and counts on no other chain or contract. */
function assertSignable(plan: Plan, signs: Signable): void {
	assert(plan.valueRaw === 0n && plan.data === "0x", "a signature calls nothing");
	if (signs.kind === "message") return;
	const { chainId, verifyingContract } = signs.typedData.domain;
	assert(chainId === plan.chainId, "typed data is for its plan's chain");
	assert(verifyingContract === plan.to, "typed data is for its plan's contract");
}
