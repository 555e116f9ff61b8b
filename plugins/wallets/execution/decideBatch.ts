import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial, Profile, Wallet } from "#plugins/wallets/contract.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import { beginHandOver, type HandOver } from "#plugins/wallets/execution/beginHandOver.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { judgeSpend } from "#plugins/wallets/execution/judgeSpend.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import type { IntentEvent } from "#plugins/wallets/intent/IntentStatus.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { storePlan } from "#plugins/wallets/intent/storePlan.ts";
import { hashPlan } from "#plugins/wallets/plan/hashPlan.ts";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { writeSpend } from "#plugins/wallets/spend/writeSpend.ts";
import { insertSubmissions } from "#plugins/wallets/submission/insertSubmissions.ts";

/**
 * Decides on a batch whose plans run on chain, in one transaction: switches, limits, questions, and
 * only then the reservation together with the record of what will be handed over. The profile's row
 * is held throughout, so two batches of one profile never both fit under a limit that one fills.
 *
 * Answers what is to be handed over now; null where nothing is.
 */
export async function decideBatch(
	world: ExecutionWorld,
	tx: Tx,
	given: { planned: readonly PlannedIntent[]; account: AccountState },
): Promise<HandOver | null> {
	const { planned, account } = given;
	const first = planned[0];
	if (!first) return null;
	const { profileId, walletId } = first.intent;
	await tx.query("select 1 from wallets.profile where id = $1 for update", [profileId]);
	const at = new Date(world.clock.nowMs());
	const profile = await world.profileOf(tx, profileId);
	const wallet = profile?.wallets.find(({ id }) => id === walletId);
	const move = async (event: IntentEvent, denial: Denial | null = null) => {
		for (const { intent } of planned) {
			const errorCode = denial?.code ?? null;
			const detail = denial?.detail ?? null;
			await moveIntent(tx, { intentId: intent.id, event, at, errorCode, detail });
		}
		return null;
	};
	if (!profile || !wallet || !mayPay(wallet)) {
		return move("deny", {
			code: "no_executable_wallet",
			detail: "The wallet is not linked any more, or an operator wants to look at it.",
		});
	}
	if (!(await stillCreated(tx, planned))) return null;
	const killed = await killDenial(world, tx, first.intent);
	if (killed) return move("deny", killed);
	const spend = await judgeSpend(world, tx, { planned, profile, wallet, at });
	if (spend.kind === "denied") return move("deny", spend.denial);

	const questionUntil = new Date(at.getTime() + QUESTION_LIFETIME_MS);
	for (const { intent, plan } of planned) {
		await storePlan(tx, { intentId: intent.id, plan, expiresAt: questionUntil });
	}
	const question = questionOf(world, { planned, profile, wallet });
	if (question) return move(question);
	// Where the owner's own wallet sends, it also says what it pays for gas.
	const tooDear = feesDenial(world, { planned, account });
	if (tooDear) return move("deny", tooDear);
	for (const entry of spend.entries) await writeSpend(tx, entry, at);
	await move("reserve");
	const submissions = planned.map(({ intent, gasLimit }) => {
		return { id: world.newId(), intent, gasLimit };
	});
	const { holder, session } = world;
	await insertSubmissions(tx, submissions, { wallet, holder, session, at });
	const submissionId = submissions[0]?.id;
	if (submissionId === undefined) return null;
	return beginHandOver(world, tx, { planned: first, submissionId, account, wallet });
}

function mayPay({ capability }: Wallet): boolean {
	return capability !== "disabled" && capability !== "review-required";
}

function feesDenial(
	world: ExecutionWorld,
	{ planned, account }: { planned: readonly PlannedIntent[]; account: AccountState },
): Denial | null {
	for (const { plan, gasLimit } of planned) {
		const denial = feeDenial(world, { chainId: plan.chainId, gasLimit, account });
		if (denial) return denial;
	}
	return null;
}

/** Locks the intents; false where another process, or their owner, was faster with one of them. */
async function stillCreated(tx: Tx, planned: readonly PlannedIntent[]): Promise<boolean> {
	const rows = await tx.query<{ status: string }>(
		"select status from wallets.intent where id = any($1) order by id for update",
		[planned.map(({ intent }) => intent.id)],
	);
	return rows.length === planned.length && rows.every(({ status }) => status === "created");
}

/** What must be answered first; null where nothing stands between the plan and its sending. */
function questionOf(
	world: ExecutionWorld,
	given: { planned: readonly PlannedIntent[]; profile: Profile; wallet: Wallet },
): IntentEvent | null {
	const { planned, profile, wallet } = given;
	// A plan stands with an intent that is `created` only once its owner has approved it.
	const isApproved = planned.every(({ intent, plan }) => {
		const keeps = world.kindOf(intent.kind)?.keeps;
		return (
			intent.planHash === hashPlan(plan) || (intent.plan && keeps?.(intent.plan, plan)) === true
		);
	});
	if (profile.requireTradeConfirmation && !isApproved) return "ask_confirmation";
	if (world.settings.isDryRun) return "skip_dry_run";
	return wallet.capability === "embedded/delegated" ? null : "ask_signature";
}
