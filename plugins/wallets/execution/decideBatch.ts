// Decides on a planned batch in one transaction: deny it, ask first, or reserve it.

import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { isAllowanceTaken } from "#plugins/wallets/allowance.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type HandOver, handOverOf } from "#plugins/wallets/execution/handOver.ts";
import { behindDenial, judgeSpend } from "#plugins/wallets/execution/judgeBatch.ts";
import {
	judgePast,
	noteAnswers,
	type Past,
	type PastLook,
	type PastRead,
} from "#plugins/wallets/execution/readPast.ts";
import {
	isWithin,
	type PlannedIntent,
	readSituation,
	type SaidYes,
	type Situation,
} from "#plugins/wallets/execution/readSituation.ts";
import { reserveIntent, takeNonce } from "#plugins/wallets/execution/reserveIntent.ts";
import { type IntentEvent, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import { storePlan } from "#plugins/wallets/intent/intentRow.ts";
import { QUESTION_LIFETIME_MS, REVIEW_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import type { Intent, Profile, Wallet } from "#plugins/wallets/model.ts";
import { hashPlan } from "#plugins/wallets/plan.ts";
import { chargeRefused } from "#plugins/wallets/quota.ts";
import { feeDenial, isThirdParty, messageDenial } from "#plugins/wallets/spend/spend.ts";
import { type NonceQueue, offeredBy } from "#plugins/wallets/submission/nonceQueue.ts";
import { UNREADABLE } from "#plugins/wallets/submission/strays.ts";

/**
 * Holds the transaction that is handed over now, and its intent as it is after that. `toRead`: the
 * wallet's unrecorded transactions have to be read before a decision.
 */
export type Decided =
	| { next: HandOver; intent: Intent }
	| { next: null; toRead?: { unreadSince: Date | null } };

type Given = {
	planned: readonly PlannedIntent[];
	account: AccountState;
	/** Before anything was read for the plans. */
	beganAt: Date;
	/** The result of reading the wallet's past; left out: it was not tried. */
	pastRead?: PastRead;
	/** Up to where all endpoints agree; needed where an owner answers for an unread past. */
	agreed?: Past;
};

/** Says what happens to a batch. */
export type Verdict =
	| { kind: "denied"; denial: Denial; isPlanKept: boolean }
	| { kind: "asked"; event: IntentEvent; why: Denial | null }
	| { kind: "reserved"; wallet: Wallet; usdMicros: readonly bigint[] };

const LOOKS_PAID = "Its wallet sent the like already, and no record here explains it:";

const NO_WALLET: Denial = {
	code: "no_executable_wallet",
	detail: "The wallet is not linked any more, or an operator wants to look at it.",
};

/**
 * Decides on a batch whose plans run on chain, in one transaction: switches, limits, questions, and
 * only then the reservation together with the record of what will be handed over. The profile's row
 * is held throughout, so two batches of one profile never both fit under a limit that one fills.
 *
 * Answers what is to be handed over now, which is nothing where all of it waits in the wallet's
 * nonce queue, or where the wallet's past is to be read first; null where nothing was reserved.
 */
export async function decideBatch(
	deps: ExecutionDeps,
	tx: Tx,
	given: Given,
): Promise<Decided | null> {
	const at = new Date(deps.clock.nowMs());
	const situation = await readSituation(deps, tx, { ...given, at });
	// Another process, or their owner, was faster with one of them.
	if (!situation?.isStillCreated) return null;
	// It stays as it is, and is planned anew once whose turn it is has ended.
	if (await mustWait(tx, given)) return null;
	const verdict = judge(deps, { ...given, situation, at });
	if (verdict.kind !== "denied" && !isNothingSent(verdict)) {
		const isOwners = verdict.kind === "asked" && verdict.event === "ask_signature";
		const past = judgePast(deps, { ...given, isOwners, queue: situation.queue });
		if (past.kind === "unread") return { next: null, toRead: past };
		if (past.kind === "asked") {
			await askWhetherPaid(deps, tx, { ...given, at, looks: past.looks });
			return null;
		}
		await noteAnswers(tx, given);
	}
	if (verdict.kind === "reserved") {
		for (const { keep } of given.planned) await keep?.(tx);
		return reserve(deps, tx, { ...given, ...verdict, situation, at });
	}
	const { headBlock } = given.account;
	await writeVerdict(deps, tx, { planned: given.planned, verdict, at, headBlock });
	return null;
}

/** Writes a denial or a question down, and the plans where these are asked about or worth it. */
export async function writeVerdict(
	deps: ExecutionDeps,
	tx: Tx,
	given: {
		planned: readonly PlannedIntent[];
		verdict: Exclude<Verdict, { kind: "reserved" }>;
		at: Date;
		/** Left out: nothing was read of the chain. */
		headBlock?: number;
	},
): Promise<void> {
	const { planned: all, verdict, at, headBlock } = given;
	if (verdict.kind !== "denied" || verdict.isPlanKept) {
		for (const { keep } of all) await keep?.(tx);
	}
	const isDenied = verdict.kind === "denied";
	const denial = isDenied ? verdict.denial : verdict.why;
	const move = {
		event: isDenied ? "deny" : verdict.event,
		at,
		expected: "created",
		denial,
	} as const;
	const isReview = !isDenied && verdict.event === "ask_review";
	const lifetimeMs = isReview ? REVIEW_LIFETIME_MS : QUESTION_LIFETIME_MS;
	const isToSign = !isDenied && verdict.event === "ask_signature";
	const expiryOf = ({ intent, plan }: PlannedIntent): Date => {
		const endsWithPlan = isToSign && deps.kindOf(intent.kind)?.endsWithPlan === true;
		const untilMs = endsWithPlan ? plan.expiresAtMs : Number.POSITIVE_INFINITY;
		return new Date(Math.min(at.getTime() + lifetimeMs, untilMs));
	};
	await Promise.all(
		all.flatMap((planned) => {
			const { plan } = planned;
			const intentId = planned.intent.id;
			const expiresAt = expiryOf(planned);
			const isKept = !isDenied || verdict.isPlanKept;
			return [
				...(isKept ? [storePlan(tx, { intentId, plan, expiresAt, headBlock })] : []),
				moveIntent(tx, { ...move, intentId }),
			];
		}),
	);
	if (isDenied) await chargeBatch(deps, tx, all);
}

/** Asks whether a payment was made already: a yes to the plan says that this is another one. */
async function askWhetherPaid(
	deps: ExecutionDeps,
	tx: Tx,
	given: Given & { at: Date; looks: readonly PastLook[] },
): Promise<void> {
	const { planned, at, looks, account } = given;
	const like = looks.find(({ hash }) => hash !== UNREADABLE)?.hash;
	const detail = like
		? `${LOOKS_PAID} ${like}`
		: "What the wallet sent while this service has no records cannot be read now.";
	const why = { code: "looks_paid", detail };
	const verdict = { kind: "asked", event: "ask_confirmation", why } as const;
	await writeVerdict(deps, tx, { planned, verdict, at, headBlock: account.headBlock });
	for (const { intent, hash } of looks) {
		await tx.execute("update wallets.intent set looks_paid = $2 where id = $1", [
			intent.id,
			hexToBytes(hash),
		]);
	}
	deps.log.warn("an intent is like a transaction of its wallet that is on no record here", {
		...{ intentId: planned[0]?.intent.id, transactionHash: like ?? null },
	});
}

/** A dry run sends nothing, so nothing can be paid twice by it. */
function isNothingSent(verdict: Verdict): boolean {
	return verdict.kind === "asked" && verdict.event === "skip_dry_run";
}

export async function mustWait(
	tx: Tx,
	{ planned, beganAt }: Pick<Given, "planned" | "beganAt">,
): Promise<boolean> {
	for (const { intent, plan } of planned) {
		if (await isAllowanceTaken(tx, { intent, plan, beganAt })) return true;
	}
	return false;
}

async function chargeBatch(
	{ settings: { quota } }: ExecutionDeps,
	tx: Tx,
	planned: readonly PlannedIntent[],
): Promise<void> {
	const profileId = planned[0]?.intent.profileId ?? "";
	await chargeRefused(tx, { profileId, refused: planned.length, quota });
}

function judge(deps: ExecutionDeps, given: Given & { situation: Situation; at: Date }): Verdict {
	const verdict = judgeTerms(deps, given);
	if (verdict.kind !== "reserved") return verdict;
	const { planned, account, situation } = given;
	// Where the owner's own wallet sends, it also says what it pays for gas.
	const unpaid =
		feesDenial(deps, { planned, account }) ??
		promisedDenial(planned, { account, queue: situation.queue });
	return unpaid ? { kind: "denied", denial: unpaid, isPlanKept: true } : verdict;
}

/** Judges a plan, whether it is sent or only signed, by switches, limits and approvals. */
export function judgeTerms(
	deps: ExecutionDeps,
	{ planned, situation, at }: Pick<Given, "planned"> & { situation: Situation; at: Date },
): Verdict {
	const { profile, killed, spentToday, known, yes } = situation;
	const denied = (denial: Denial): Verdict => ({ kind: "denied", denial, isPlanKept: false });
	const wallet = profile?.wallets.find(({ id }) => id === planned[0]?.intent.walletId);
	if (!profile || !wallet || !mayPay(wallet)) return denied(NO_WALLET);
	if (killed) return denied(killed);
	const spend = judgeSpend(deps, { planned, profile, wallet, at, spentToday, known });
	if (spend.kind === "denied") return denied(spend.denial);
	const counted = spend.usdMicros.reduce((sum, one) => sum + one, spentToday);
	const later = behindDenial(deps, {
		...{ planned, profile, wallet, at, behind: situation.behind, spentToday: counted },
	});
	if (later) return denied(later);
	// Whoever sends it: the call that we make pays it.
	const tooDear = messagesDenial(deps, planned);
	if (tooDear) return denied(tooDear);
	const review = reviewOf(deps, { planned, yes });
	if (review) return { kind: "asked", event: "ask_review", why: review };
	const event = questionOf(deps, { planned, profile, wallet, yes });
	if (event) return { kind: "asked", event, why: null };
	// The provider's name for it went: it can be handed to nobody.
	if (wallet.providerWalletId === null) return denied(NO_WALLET);
	return { kind: "reserved", wallet, usdMicros: spend.usdMicros };
}

/** Puts all in line, the first of them as handed over where its account is not in doubt. */
async function reserve(
	deps: ExecutionDeps,
	tx: Tx,
	given: Given & {
		situation: Situation;
		wallet: Wallet;
		usdMicros: readonly bigint[];
		at: Date;
	},
): Promise<Decided | null> {
	const { planned, account, wallet, usdMicros, at, situation } = given;
	const { session } = deps;
	const { queue } = situation;
	const expiresAt = new Date(at.getTime() + QUESTION_LIFETIME_MS);
	const ids = planned.map(() => deps.newId());
	const hashed = planned.map((one) => ({ ...one, planHash: hashPlan(one.plan) }));
	const [first] = hashed;
	const [submissionId] = ids;
	const { providerWalletId } = wallet;
	if (!first || submissionId === undefined || providerWalletId === null) return null;
	const taken = takeNonce(deps, { of: first.plan, account, queue });
	const begun =
		taken.kind === "nonce"
			? handOverOf(deps, { ...first, ...taken, submissionId, account, providerWalletId })
			: null;
	for (const [place, { intent, plan, planHash, gasLimit }] of hashed.entries()) {
		const reservation = {
			...{ intentId: intent.id, plan, planHash, gasLimit, session, at, expiresAt },
			headBlock: account.headBlock,
			usdMicros: usdMicros[place] ?? 0n,
			sender: wallet.address,
			submissionId: ids[place] ?? "",
			beginning: place === 0 ? (begun?.beginning ?? null) : null,
		};
		const write = async () => {
			assert(await reserveIntent(tx, reservation), "what is held as created is created");
		};
		tx.beforeCommit(write, { singleStatement: true });
	}
	if (!begun) return { next: null };
	const intent: Intent = {
		...first.intent,
		status: "submitting",
		errorCode: null,
		error: null,
		plan: first.plan,
		planHash: first.planHash,
		changedAtMs: at.getTime(),
		expiresAtMs: expiresAt.getTime(),
	};
	return { next: begun.next, intent };
}

function mayPay({ capability }: Wallet): boolean {
	return capability !== "disabled" && capability !== "review-required";
}

/**
 * Denies a batch if the balance does not cover it beside the wallet's other transactions that are
 * not mined yet: of two that use one balance, the second would be refused when sent.
 */
function promisedDenial(
	planned: readonly PlannedIntent[],
	{ account, queue }: { account: AccountState; queue: NonceQueue },
): Denial | null {
	if (queue.promisedRaw === 0n) return null;
	const own = planned.reduce((sum, { plan, gasLimit }) => {
		return sum + plan.valueRaw + gasLimit * offeredBy(account, plan).maxFeePerGas;
	}, 0n);
	if (own + queue.promisedRaw <= account.balanceRaw) return null;
	return {
		code: "balance_insufficient",
		detail: "The wallet holds less than this and its transactions that are on their way take.",
	};
}

function feesDenial(
	deps: ExecutionDeps,
	{ planned, account }: { planned: readonly PlannedIntent[]; account: AccountState },
): Denial | null {
	for (const { plan, gasLimit } of planned) {
		const { chainId, feeRaw } = plan;
		const offered = offeredBy(account, plan);
		const denial = feeDenial(deps, { chainId, gasLimit, account: offered, feeRaw });
		if (denial) return denial;
	}
	return null;
}

/** Denies a batch by the limit for fees of messages alone, without gas. */
function messagesDenial(deps: ExecutionDeps, planned: readonly PlannedIntent[]): Denial | null {
	for (const { plan } of planned) {
		const { chainId, feeRaw } = plan;
		const denial = feeRaw === undefined ? null : messageDenial(deps, { chainId, feeRaw });
		if (denial) return denial;
	}
	return null;
}

/**
 * Returns why an operator has to approve first; null where nothing is to be reviewed, or all of it
 * was.
 */
function reviewOf(
	deps: ExecutionDeps,
	{ planned, yes }: { planned: readonly PlannedIntent[]; yes: readonly SaidYes[] },
): Denial | null {
	const open = planned.find(({ intent, plan, review }, place) => {
		const keeps = deps.kindOf(intent.kind)?.keeps;
		return review && !isWithin(yes[place]?.operator ?? null, plan, keeps);
	});
	return open?.review ?? null;
}

/** Returns what the owner must answer first; null where the plan can be sent. */
function questionOf(
	deps: ExecutionDeps,
	given: {
		planned: readonly PlannedIntent[];
		profile: Profile;
		wallet: Wallet;
		yes: readonly SaidYes[];
	},
): IntentEvent | null {
	const { planned, profile, wallet, yes } = given;
	const isDelegated = wallet.capability === "embedded/delegated";
	const isApproved = planned.every(({ intent, plan }, place) => {
		const said = yes[place];
		const keeps = deps.kindOf(intent.kind)?.keeps;
		return said?.isStepConfirmed === true || isWithin(said?.owner ?? null, plan, keeps);
	});
	// What its owner signs with their own wallet is asked by that: not twice.
	const isProposed = isDelegated && planned.some((one) => asksOf(one, profile));
	if ((profile.requireTradeConfirmation || isProposed) && !isApproved) return "ask_confirmation";
	if (deps.settings.isDryRun) return "skip_dry_run";
	return isDelegated ? null : "ask_signature";
}

/** Returns whether the owner is asked by a link: always if a post pays another person's address. */
function asksOf(
	{ intent: { asks, channel }, plan, asks: isUnsure = false }: PlannedIntent,
	profile: Profile,
): boolean {
	return asks || isUnsure || (channel === "social" && isThirdParty(plan.recipient, profile));
}
