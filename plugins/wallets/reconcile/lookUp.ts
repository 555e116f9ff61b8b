// Finds out what nodes and the wallet provider know of one submission.

import { bytesToHex, keccak256 } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { findByNonce, type NonceUse } from "#plugins/wallets/chain/readAccount.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import { killDenial } from "#plugins/wallets/control/kill.ts";
import { REBROADCAST, settingRows } from "#plugins/wallets/control/settings.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import {
	type Instead,
	isCancellationOf,
	searchPlanned,
} from "#plugins/wallets/reconcile/searchPlanned.ts";
import {
	nonceAsked,
	receiptAsked,
	seeTransaction,
} from "#plugins/wallets/reconcile/seeTransaction.ts";
import { type Expected, isFinal } from "#plugins/wallets/reconcile/settleMined.ts";
import { type Finding, unseenOf } from "#plugins/wallets/reconcile/transitions.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

type Asked = { submission: Submission; plan: Expected; rpc: Rpc; signal: AbortSignal };

/** Holds what the wallet provider knows of a request. */
type Trace = {
	hash: Hex | null;
	/** The wallet provider says that it has nothing, or has given up. */
	isNone: boolean;
	/** The wallet provider has given up what it had. */
	isGivenUp: boolean;
};

/** Says for people why a payment was not sent by its owner's wallet. */
const NOT_SENT: Record<"not_sent" | Instead, string> = {
	not_sent: "the wallet has sent nothing since the plan",
	replaced: "the wallet has sent other transactions since the plan, and not this payment",
	cancelled: "the wallet cancelled it: it used a nonce for nothing, and has not sent this payment",
};

/** Lists the wallet provider's states of a reference that it accepted and gave up. */
const GIVEN_UP = new Set(["failed", "provider_error"]);

/** The wallet provider may still send something, or cannot be asked: that proves nothing. */
const OPEN: Trace = { hash: null, isNone: false, isGivenUp: false };

/**
 * Looks a submission up: in our own records, by its hash, else by its reference at the wallet
 * provider, else by its nonce on chain. What is found is believed only where the transaction is the
 * planned one.
 */
export async function lookUp(deps: ExecutionDeps, asked: Asked): Promise<Finding> {
	const { submission, rpc, signal } = asked;
	const proven = await provenByOurs(deps.db, submission);
	if (proven) return proven;
	// Who was not asked has denied nothing.
	const trace = submission.transactionHash === null ? await traced(deps, asked) : OPEN;
	const named = submission.transactionHash ?? trace.hash;
	const look = named === null ? "unseen" : await seeNamed(deps, { ...asked, hash: named });
	if (look !== "unseen" && look !== "impossible" && look.kind === "seen") return look;
	// A hash of another transaction says nothing about this one.
	const hash = look === "unseen" ? named : null;
	const isExternal = submission.nonce === null;
	const nonce = submission.nonce ?? submission.seenNonce;
	if (isExternal && hash === null && submission.purpose !== "pay") {
		const detail = "the hash is of another transaction";
		return { kind: "never", code: "not_sent", detail, isOthers: true };
	}
	if (nonce === null || (isExternal && hash === null)) {
		const isOther = look !== "unseen" && look !== "impossible";
		return lookForOwners(deps, { ...asked, named, isOther });
	}
	const use = await deps.steps.run("rpc.nonce", () =>
		findByNonce(rpc, { ...nonceAsked(deps, submission), nonce, signal }),
	);
	if (use.kind === "mined") {
		const mined = await seeTransaction(deps, { ...asked, hash: use.transactionHash });
		if (mined !== "unseen") {
			if (mined.kind === "seen") return mined;
			if (isFinal(deps, mined.sighting)) {
				const isCancelled = isCancellationOf(submission.sender, mined.sighting.transaction);
				const instead = isCancelled ? "cancelled" : "replaced";
				const code = isExternal ? instead : "not_sent";
				const usedBy = use.transactionHash;
				return { kind: "never", code, detail: `its nonce went to ${usedBy}`, usedBy };
			}
		}
		// Not deep enough to count, or a node that contradicts itself: that proves nothing.
	}
	if (use.kind === "used") sayThatItCannotBeNamed(deps, submission);
	if (hash) return ofUnseen(deps, { ...asked, hash, use, isGivenUp: trace.isGivenUp });
	const { isRunOut } = unseenOf(submission, deps.clock.nowMs());
	const isProved = use.kind === "free" && trace.isNone && isRunOut;
	const detail = "nobody knows it, and nobody may send it any more";
	return isProved ? { kind: "never", code: "not_sent", detail } : { kind: "unknown" };
}

/**
 * Returns a finding that a submission can never be mined, if a final transaction of ours has its
 * nonce: from our records alone, whatever nodes answer. Null proves nothing.
 */
export async function provenByOurs(
	db: Queryable,
	submission: Submission,
): Promise<(Finding & { kind: "never" }) | null> {
	const usedBy = (await usedByOurs(db, [submission])).get(submission.id);
	if (usedBy === undefined) return null;
	const code = submission.nonce === null ? "replaced" : "not_sent";
	return { kind: "never", code, detail: `its nonce went to ${usedBy}`, usedBy };
}

/**
 * Reads which of these submissions lost their nonce to a final transaction of ours, and to which.
 * Along `submission_nonce`, and `submission_of_intent` where an owner's own wallet signed both.
 */
export async function usedByOurs(
	db: Queryable,
	submissions: readonly Submission[],
): Promise<Map<string, Hex>> {
	if (submissions.length === 0) return new Map();
	const isFinal = "id <> s.id and final_at is not null and state in ('mined', 'reverted')";
	const rows = await db.query<{ id: string; hash: Buffer }>(
		`select s.id, used.transaction_hash as hash from wallets.submission s cross join lateral (
			select transaction_hash from wallets.submission
			where chain_id = s.chain_id and sender = s.sender and ${isFinal}
				and nonce = coalesce(s.nonce, s.seen_nonce)
			union all
			select transaction_hash from wallets.submission
			where intent_id = s.intent_id and purpose <> 'pay' and ${isFinal}
				and nonce is null and seen_nonce = coalesce(s.nonce, s.seen_nonce)
			limit 1
		) as used where s.id = any($1::uuid[])`,
		[submissions.map(({ id }) => id)],
	);
	return new Map(rows.map(({ id, hash }) => [id, bytesToHex(hash)]));
}

/**
 * Returns the bytes of a dropped transaction, to be broadcast again unchanged. Null where no
 * operator switched that on, where the bytes are unknown or have another hash, and where nothing
 * may be sent: a dry run, a kill switch.
 */
export async function readRebroadcast(
	deps: ExecutionDeps,
	tx: Tx,
	{ submission, intent }: { submission: Submission; intent: Intent },
): Promise<Hex | null> {
	const setting = await settingRows.read(tx, REBROADCAST);
	if (setting?.value !== true) return null;
	if (deps.settings.isDryRun || (await killDenial(deps, tx, intent))) return null;
	const rows = await tx.query<{ signed: Uint8Array | null; transaction_hash: Uint8Array | null }>(
		`select signed, transaction_hash from wallets.submission
		where id = $1 and state = 'dropped' and nonce is not null`,
		[submission.id],
	);
	const { signed, transaction_hash: hash } = rows[0] ?? {};
	if (!signed || !hash || keccak256(signed) !== bytesToHex(hash)) return null;
	return bytesToHex(signed);
}

async function traced(
	deps: ExecutionDeps,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<Trace> {
	// An external wallet's is not known to the wallet provider.
	if (submission.nonce === null) return { ...OPEN, isNone: true };
	const { id, providerTransactionId } = submission;
	try {
		const trace = await deps.steps.run("custody.lookup", () =>
			providerTransactionId === null
				? deps.custody.byReference(id, signal)
				: deps.custody.byId(providerTransactionId, signal),
		);
		const isGivenUp = trace !== null && GIVEN_UP.has(trace.status);
		return { hash: trace?.transactionHash ?? null, isNone: !trace || isGivenUp, isGivenUp };
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		deps.log.warn("the wallet provider cannot say what became of a request", {
			intentId: submission.intentId,
			error,
		});
		return OPEN;
	}
}

/**
 * Looks for the payment where its owner named an older transaction that is like the plan. That
 * one's receipt is refused each time, so what they sent for the plan, if anything, is searched.
 */
async function seeNamed(
	deps: ExecutionDeps,
	asked: Asked & { hash: Hex },
): Promise<Awaited<ReturnType<typeof seeTransaction>> | "impossible"> {
	const { nonce, purpose } = asked.submission;
	try {
		return await seeTransaction(deps, asked);
	} catch (error) {
		const isRefused = error instanceof Fault && error.code === "chain_contradicts";
		// Nothing is searched for a cancellation: it is waited for, as long as for what is unseen.
		const { isLost } = unseenOf(asked.submission, deps.clock.nowMs());
		const isAnswer = purpose === "pay" || isLost;
		if (nonce !== null || !isRefused || !isAnswer) throw error;
		return "impossible";
	}
}

/**
 * Looks for what an owner's wallet sent under an unknown nonce: searches all that the wallet sent
 * since the plan. Without that, and while a transaction may still wait at a node, nothing is
 * decided.
 */
async function lookForOwners(
	deps: ExecutionDeps,
	given: Asked & { named: Hex | null; isOther: boolean },
): Promise<Finding> {
	const { submission, named, isOther } = given;
	const { intentId, chainId, sender } = submission;
	const hash = isOther ? null : named;
	const open: Finding =
		hash === null ? { kind: "unknown" } : { kind: "told", transactionHash: hash };
	const { isAskedFor, isLost } = unseenOf(submission, deps.clock.nowMs());
	const isSearched = hash === null || isAskedFor;
	if (submission.purpose !== "pay" || !isSearched) return open;
	const search = await searchPlanned(deps, { ...given, intentId, chainId, sender });
	if (search.kind === "found") {
		const { transactionHash } = search;
		const seen = await seeTransaction(deps, { ...given, hash: transactionHash });
		return seen !== "unseen" && seen.kind === "seen" ? seen : open;
	}
	// Its owner can send it again at any time, so it is looked for all the same for a while.
	if (search.kind === "open" || (hash !== null && !isLost)) return open;
	const code = search.instead ?? "not_sent";
	return { kind: "never", code, detail: NOT_SENT[code], isOthers: hash === null };
}

/**
 * Returns whether the wallet provider gave up a transaction that no node knows: by its answer now,
 * or an earlier one.
 */
async function isRefused(
	deps: ExecutionDeps,
	given: Asked & { isGivenUp: boolean },
): Promise<boolean> {
	const { submission, isGivenUp } = given;
	if (isGivenUp || submission.state === "refused") return true;
	const isAsked = submission.transactionHash !== null && submission.seenAtMs === null;
	if (!isAsked || !unseenOf(submission, deps.clock.nowMs()).isAskedFor) return false;
	return (await traced(deps, given)).isGivenUp;
}

function sayThatItCannotBeNamed(deps: ExecutionDeps, submission: Submission): void {
	deps.log.warn("a nonce was used, and the node cannot say by which transaction: name its hash", {
		intentId: submission.intentId,
		address: submission.sender,
		nonce: submission.nonce ?? submission.seenNonce,
	});
}

/** Decides about a submission whose hash no node knows now. */
async function ofUnseen(
	deps: ExecutionDeps,
	given: Asked & { hash: Hex; use: NonceUse; isGivenUp: boolean },
): Promise<Finding> {
	const { submission, hash, use } = given;
	const { isLost } = unseenOf(submission, deps.clock.nowMs());
	if (submission.nonce !== null) {
		if (await isRefused(deps, given)) {
			return { kind: "refused", transactionHash: hash };
		}
		const isGone = isLost || (await isDropped(deps, given));
		return { kind: isGone ? "dropped" : "told", transactionHash: hash };
	}
	// Its owner can send it again at any time, so it is looked for all the same for a while.
	if (isLost && use.kind === "free") {
		return { kind: "never", code: "not_sent", detail: "no node knows it" };
	}
	return { kind: (await isDropped(deps, given)) ? "dropped" : "told", transactionHash: hash };
}

/**
 * Returns whether a reorg dropped a transaction that was in a block: its nonce is free again, and
 * no endpoint that has reached that block knows it. Its owner is told at once, and not after the
 * time in which nodes forget. It stays dropped until a node shows it.
 */
async function isDropped(
	deps: ExecutionDeps,
	given: Asked & { hash: Hex; use: NonceUse },
): Promise<boolean> {
	const { submission, hash, use, rpc, signal } = given;
	const { state } = submission;
	if (use.kind !== "free") return false;
	if (state !== "mined" && state !== "reverted") return state === "dropped";
	const asked = { ...receiptAsked(deps, submission, hash), signal, heard: new Set<string>() };
	// The first says whom else to ask.
	for (const second of [false, true]) {
		const seen = await deps.steps.run("rpc.receipt", () => readReceipt(rpc, { ...asked, second }));
		if (seen !== null) return false;
	}
	return true;
}
