// Takes created intents as far as they go without their owner: planned, judged, sent.

import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { isAllowanceTaken } from "#plugins/wallets/allowance.ts";
import {
	type AccountAsked,
	type AccountState,
	isOfOtherChain,
	readAccount,
} from "#plugins/wallets/chain/readAccount.ts";
import { readAgreed } from "#plugins/wallets/chain/secondOpinion.ts";
import {
	continueQueued,
	type QueueAsked,
	queueKey,
} from "#plugins/wallets/execution/continueQueued.ts";
import { type Decided, decideBatch } from "#plugins/wallets/execution/decideBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { handOver } from "#plugins/wallets/execution/handOver.ts";
import { closeBatch, deny, judgeBatch } from "#plugins/wallets/execution/judgeBatch.ts";
import { type FirstGiven, recordFirst } from "#plugins/wallets/execution/linkedSteps.ts";
import { prepareIntent } from "#plugins/wallets/execution/prepareIntent.ts";
import { isSaidUnread, type PastRead, readPast } from "#plugins/wallets/execution/readPast.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/readSituation.ts";
import { signIntent } from "#plugins/wallets/execution/sign.ts";
import type { Preparation } from "#plugins/wallets/IntentKind.ts";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import { PREPARES_AT_ONCE } from "#plugins/wallets/limits.ts";
import type { Intent, Plan, Profile } from "#plugins/wallets/model.ts";

type Prepared = Extract<Preparation, { kind: "plan" }>;

type Given = {
	intents: readonly Intent[];
	/** As it was a moment ago, where the caller knows: it is read again to decide. */
	profile?: Profile | undefined;
	signal: AbortSignal;
};

const NO_WALLET: Denial = {
	code: "no_executable_wallet",
	detail: "No linked wallet can send this.",
};
const IN_STEPS: Denial = {
	code: "policy_denied",
	detail: "What takes several steps, none, or a signature cannot be part of a batch.",
};
const NO_CHAIN: Denial = { code: "chain_unavailable", detail: "The chain is not served here." };
const OTHER_CHAIN: Denial = {
	code: "chain_unavailable",
	detail: "The chain's node serves another chain.",
};

/**
 * Takes intents of one wallet, all `created`, as far as they go without their owner. A batch is
 * sent whole or not at all: a denial of one denies all.
 *
 * Returns an intent that was alone and was sent, in its new state; null where the state has to be
 * read.
 */
export async function advanceBatch(deps: ExecutionDeps, given: Given): Promise<Intent | null> {
	const { intents, signal } = given;
	const first = intents[0];
	if (!first) return null;
	const beganAt = new Date(deps.clock.nowMs());
	if (intents.some(({ expiresAtMs }) => expiresAtMs <= deps.clock.nowMs())) {
		await closeBatch(deps, intents, { event: "expire", denial: null });
		return null;
	}
	const profile = given.profile ?? (await deps.profileOf(deps.db, first.profileId));
	const wallet = profile?.wallets.find(({ id }) => id === first.walletId);
	const rpc = deps.rpcOf(first.chainId);
	if (!profile || !wallet) return deny(deps, intents, NO_WALLET);
	if (!rpc) return deny(deps, intents, NO_CHAIN);

	const prepared: Prepared[] = [];
	for (let from = 0; from < intents.length; from += PREPARES_AT_ONCE) {
		const some = await Promise.all(
			intents
				.slice(from, from + PREPARES_AT_ONCE)
				.map((intent) => prepareIntent(deps, { intent, wallet, profile, signal })),
		);
		for (const one of some) {
			if (one.kind === "denied") return deny(deps, intents, one.denial);
			if (one.kind === "plan" && !one.plan.signs) prepared.push(one);
			else if (intents.length > 1) return deny(deps, intents, IN_STEPS);
			else if (one.kind === "plan") {
				return signIntent(deps, { intent: first, prepared: one, beganAt, signal });
			} else if (one.kind === "done") return skipDone(deps, first, beganAt);
			else {
				return stepFirst(deps, { intent: first, first: one, profile, wallet, beganAt, signal });
			}
		}
	}
	const asked = {
		address: wallet.address,
		plans: prepared.map(({ plan }) => plan),
		questions: prepared.flatMap(({ question }) => question?.call ?? []),
		signal,
	};
	const read = await accountOf(deps, rpc, asked);
	if (!read) return deny(deps, intents, OTHER_CHAIN);
	const { account, simulations, answers } = read;
	const plans: Plan[] = [];
	let last: Denial | null = null;
	for (const { plan, question } of prepared) {
		const told = question?.shownBy(answers.shift());
		if (told?.kind === "denied" && !told.isLast) return deny(deps, intents, told.denial);
		if (told?.kind === "denied") last ??= told.denial;
		plans.push(told?.kind === "shown" ? { ...plan, shown: told.shown } : plan);
	}
	const told = plans.map((plan, index) => ({ ...plan, least: prepared[index]?.least }));
	const judged = judgeBatch(told, account, simulations);
	if (judged.kind === "denied") return deny(deps, intents, judged.denial);
	if (last) return deny(deps, intents, last);
	const planned = judged.plans.flatMap((costed, index): PlannedIntent[] => {
		const intent = intents[index];
		const { review, keep, worthUsdMicros, asks = false } = prepared[index] ?? {};
		const beside = {
			...{ asks, ...(review && { review }), ...(keep && { keep }) },
			...(worthUsdMicros !== undefined && { worthUsdMicros }),
		};
		return intent ? [{ ...costed, intent, ...beside }] : [];
	});
	const decided = await decide(deps, { planned, account, beganAt, signal });
	if (!decided) return null;
	const queue = { walletId: wallet.id, chainId: first.chainId, signal };
	if (!decided.next) {
		await continueQueued(deps, queue);
		return null;
	}
	const { outcome, sentAtMs } = await handOver(deps, decided.next);
	if (planned.length > 1) {
		if (outcome.kind !== "unknown") await continueQueued(deps, queue);
		return null;
	}
	// Others of the wallet came meanwhile, and wait for this: it does not wait for them.
	if (deps.queueRuns.isWaited(queueKey(queue))) void continueBehind(deps, queue);
	if (outcome.kind !== "sent" || sentAtMs === null) return null;
	const { transactionHash } = outcome;
	return { ...decided.intent, status: "submitted", transactionHash, changedAtMs: sentAtMs };
}

/**
 * Decides, and reads first what the wallet sent without our records, where there is any of that.
 * Null also where not all of it could be read: the jobs try it again, until the intents run out.
 */
async function decide(
	deps: ExecutionDeps,
	given: {
		planned: readonly PlannedIntent[];
		account: AccountState;
		beganAt: Date;
		signal: AbortSignal;
	},
): Promise<Decided | null> {
	const { planned, account, beganAt, signal } = given;
	const [first] = planned;
	if (!first) return null;
	const { from, chainId } = first.plan;
	const rpc = isSaidUnread(planned) ? deps.rpcOf(chainId) : null;
	const agreed =
		rpc &&
		(await deps.steps.run("rpc.nonce", () => readAgreed(rpc, { address: from, account, signal })));
	const decision = { planned, account, beganAt, ...(agreed && { agreed }) };
	const once = (pastRead?: PastRead) =>
		deps.steps.run("commit.decide", () =>
			deps.commits.together(first.intent.profileId, (tx) =>
				decideBatch(deps, tx, { ...decision, ...(pastRead && { pastRead }) }),
			),
		);
	const decided = await once();
	if (!decided || decided.next || !decided.toRead) return decided;
	const { unreadSince } = decided.toRead;
	const pastRead = await readPast(deps, { account: { chainId, from }, unreadSince, signal });
	const again = await once(pastRead);
	return again && !again.next && again.toRead ? null : again;
}

/** Confirms an intent whose goal is already reached: nothing was sent, and nothing spent. */
async function skipDone(deps: ExecutionDeps, intent: Intent, beganAt: Date): Promise<null> {
	const { id: intentId, profileId } = intent;
	const at = new Date(deps.clock.nowMs());
	await deps.steps.run("commit.close", () =>
		deps.db.transaction(async (tx) => {
			await tx.query("select 1 from wallets.profile where id = $1 for no key update", [profileId]);
			// What stands may be there for somebody else, who is about to use it.
			if (await isAllowanceTaken(tx, { intent, plan: null, beganAt })) return;
			await moveIntent(tx, { intentId, event: "skip_done", at });
		}),
	);
	return null;
}

/** Records what has to come first, and takes that as far as it goes. */
async function stepFirst(
	deps: ExecutionDeps,
	given: FirstGiven & { signal: AbortSignal },
): Promise<null> {
	const { intent, signal } = given;
	const recorded = await recordFirst(deps, given);
	if (recorded.kind === "denied") return deny(deps, [intent], recorded.denial);
	if (recorded.kind === "recorded") await advanceBatch(deps, { intents: [recorded.step], signal });
	return null;
}

/** Null where the nodes serve another chain: waiting would not help, and nothing was sent. */
async function accountOf({ steps }: ExecutionDeps, rpc: Rpc, asked: AccountAsked) {
	try {
		return await steps.run("rpc.account", () => readAccount(rpc, asked));
	} catch (error) {
		if (isOfOtherChain(error)) return null;
		throw error;
	}
}

/** Continues the queue in the background; the job repeats what fails here. */
async function continueBehind(deps: ExecutionDeps, queue: QueueAsked): Promise<void> {
	try {
		await continueQueued(deps, queue);
	} catch (error) {
		deps.log.warn("a nonce queue could not be continued now", { ...queue, error });
	}
}
