// Looks up submissions of one chain by their hashes, and settles those that are mined.

import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { readReceipts } from "#plugins/wallets/chain/readReceipts.ts";
import type { Sighting } from "#plugins/wallets/chain/readSigned.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import type { Missing } from "#plugins/wallets/IntentKind.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent, Receipt, Wallet } from "#plugins/wallets/model.ts";
import { readWallets } from "#plugins/wallets/profile/sql.ts";
import { LOOK_TIMEOUT_MS, RECONCILES_AT_ONCE } from "#plugins/wallets/reconcile/looks.ts";
import { receiptAsked } from "#plugins/wallets/reconcile/seeTransaction.ts";
import {
	expectedOf,
	isFinal,
	isSameReceipt,
	judgeSighting,
	type MinedToSettle,
	noteSightings,
	type SightingToNote,
	settleMined,
} from "#plugins/wallets/reconcile/settleMined.ts";
import type { Finding } from "#plugins/wallets/reconcile/transitions.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

/** Holds the result of a successful receipt, as the intent's kind judges it. */
export type PaidFor = {
	/** What was paid for and did not arrive, or is in doubt; null: it arrived. */
	missing: Missing | null;
	/** The part of the reservation that was spent; null: all of it. */
	spentRaw: bigint | null;
};

/** Holds the result of looking up many submissions. */
export type LookedTogether = {
	/** Seen where they were seen before, in a block that can still leave the chain. */
	unchanged: Submission[];
	/** To be looked at each by itself: there is more to ask, or more to write. */
	rest: Submission[];
	/** Submissions about which the chain answered, even that it knows nothing. */
	answered: Submission[];
};

type Look = {
	submission: Submission;
	intent: Intent | null;
	sighting: Sighting | null;
	isRead: boolean;
};

const AS_PLANNED: PaidFor = { missing: null, spentRaw: null };

/**
 * Looks at submissions of one chain that have a hash, in one request, and writes down in one
 * transaction what needs no more than that: they are still where they were, or they were sent and
 * are mined as planned. Everything else is left to `reconcileSubmission`.
 */
export async function lookTogether(
	deps: ExecutionDeps,
	{
		submissions,
		rpc,
		signal,
	}: { submissions: readonly Submission[]; rpc: Rpc; signal: AbortSignal },
): Promise<LookedTogether> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const looked: LookedTogether = { unchanged: [], rest: [], answered: [] };
	const seen: SightingToNote[] = [];
	const news: Look[] = [];
	for (const look of await seeSurely(deps, { submissions, rpc, signal: within })) {
		const { submission, sighting } = look;
		if (look.isRead) looked.answered.push(submission);
		if (!sighting || !isWhereItWas(submission, sighting)) {
			news.push(look);
			continue;
		}
		seen.push({ submission, sighting });
		if (sighting.receipt && !isFinal(deps, sighting)) looked.unchanged.push(submission);
	}
	const mined = await paidFor(deps, { looks: news, signal: within });
	const isMined = new Set(mined.map(({ submission }) => submission));
	looked.rest.push(...news.map((look) => look.submission).filter((one) => !isMined.has(one)));
	const at = new Date(deps.clock.nowMs());
	if (seen.length + mined.length > 0) {
		await deps.steps.run("commit.found", () =>
			deps.db.transaction(async (tx) => {
				await Promise.all([
					noteSightings(deps, tx, { seen, at }),
					settleMined(deps, tx, { mined, at }),
				]);
			}),
		);
	}
	return looked;
}

/** Asks the kind whether what was paid for has arrived, where a successful receipt is new. */
export async function missingOf(
	deps: ExecutionDeps,
	given: {
		intent: Intent;
		submission: Submission;
		finding: Finding;
		signal: AbortSignal;
		/** The wallet, if it was read already with those of others. */
		wallet?: Wallet | undefined;
	},
): Promise<PaidFor> {
	const { intent, submission, finding, signal } = given;
	const receipt: Receipt | null = finding.kind === "seen" ? finding.sighting.receipt : null;
	if (submission.purpose !== "pay") return AS_PLANNED;
	if (!receipt?.succeeded || submission.blockHash === receipt.blockHash) return AS_PLANNED;
	const kind = deps.kindOf(intent.kind);
	// Nothing is called done that nobody looked at: once its plugin is back, it is looked at again.
	if (!kind) throw executionFault.kindUnknown({ detail: intent.kind });
	const { walletId } = intent;
	const wallet =
		given.wallet ?? (walletId && (await readWallets(deps.db, [walletId])).get(walletId));
	if (!wallet) return AS_PLANNED;
	const request = kind.request.parse(intent.request);
	const outbound = deps.kindSteps.run;
	const settled = await kind.settle({ ...intent, request }, receipt, { wallet, outbound, signal });
	if (settled === null) return AS_PLANNED;
	const { spentRaw = null } = settled;
	if (!("code" in settled)) return { missing: null, spentRaw };
	const { spentRaw: _, isDoubtful = false, ...denial } = settled;
	return { missing: { ...denial, isDoubtful }, spentRaw };
}

/**
 * Looks up submissions. One that is deep enough to be final is looked up twice: there are no
 * lookups after that.
 */
async function seeSurely(
	deps: ExecutionDeps,
	given: { submissions: readonly Submission[]; rpc: Rpc; signal: AbortSignal },
): Promise<Look[]> {
	const heard = new Set<string>();
	const looks = await see(deps, { ...given, heard, second: false });
	const last = looks.filter(({ sighting }) => sighting && isFinal(deps, sighting));
	if (last.length === 0) return looks;
	const submissions = last.map(({ submission }) => submission);
	const again = await see(deps, { ...given, submissions, heard, second: true });
	const byId = new Map(again.map((look) => [look.submission.id, look]));
	return looks.map((look) => {
		const other = byId.get(look.submission.id);
		if (!look.sighting || !other) return look;
		if (!other.sighting || !isSameReceipt(look.sighting, other.sighting)) {
			return { ...look, sighting: null };
		}
		const headBlock = Math.min(look.sighting.headBlock, other.sighting.headBlock);
		return { ...look, sighting: { ...look.sighting, headBlock } };
	});
}

/**
 * Returns each with what the chain shows under its hash; null where that is not what was planned.
 */
async function see(
	deps: ExecutionDeps,
	given: {
		submissions: readonly Submission[];
		rpc: Rpc;
		signal: AbortSignal;
		heard: Set<string>;
		second: boolean;
	},
): Promise<Look[]> {
	const { submissions, rpc, signal, heard, second } = given;
	const intents = await readIntents(
		deps.db,
		submissions.map(({ intentId }) => intentId),
	);
	const byId = new Map(intents.map((intent) => [intent.id, intent]));
	const asked = submissions.flatMap((submission) => {
		const { transactionHash: hash } = submission;
		return hash ? [{ submission, ...receiptAsked(deps, submission, hash) }] : [];
	});
	const found = await deps.steps.run("rpc.receipt", () =>
		readReceipts(rpc, { asked, signal, heard, second }),
	);
	return asked.map(({ submission, hash }, place) => {
		const intent = byId.get(submission.intentId) ?? null;
		const sighting = found[place];
		const isRead = !(sighting instanceof Fault);
		if (!intent?.plan || !sighting || sighting instanceof Fault) {
			return { submission, intent, sighting: null, isRead };
		}
		const plan = expectedOf(submission, intent.plan);
		const judged = judgeSighting(deps, { submission, plan, hash, sighting });
		return { submission, intent, sighting: judged.kind === "seen" ? sighting : null, isRead };
	});
}

/** Says whether a submission is where it was: waiting, or in the known block with the known end. */
function isWhereItWas({ state, blockHash }: Submission, { receipt }: Sighting): boolean {
	if (!receipt) return state === "sent";
	return state === "mined" && receipt.succeeded && blockHash === receipt.blockHash;
}

/** Returns the payments whose receipt is a success, each with what it spent and that it arrived. */
async function paidFor(
	deps: ExecutionDeps,
	{ looks, signal }: { looks: readonly Look[]; signal: AbortSignal },
): Promise<MinedToSettle[]> {
	const succeeded = looks.filter(({ submission, sighting }) => {
		const isPayment = submission.purpose === "pay";
		return isPayment && submission.state === "sent" && sighting?.receipt?.succeeded === true;
	});
	if (succeeded.length === 0) return [];
	const wallets = await readWallets(
		deps.db,
		succeeded.map(({ submission }) => submission.walletId),
	);
	const mined: MinedToSettle[] = [];
	const rest = [...succeeded];
	const work = async () => {
		for (let look = rest.shift(); look !== undefined; look = rest.shift()) {
			const wallet = wallets.get(look.submission.walletId);
			const one = await settlementOf(deps, { ...look, wallet, signal });
			if (one) mined.push(one);
		}
	};
	await Promise.all(Array.from({ length: RECONCILES_AT_ONCE }, work));
	return mined;
}

async function settlementOf(
	deps: ExecutionDeps,
	look: Look & { wallet: Wallet | undefined; signal: AbortSignal },
): Promise<MinedToSettle | null> {
	const { submission, intent, sighting, wallet, signal } = look;
	const { transactionHash } = submission;
	const receipt = sighting?.receipt;
	if (!transactionHash || !intent || !receipt) return null;
	const finding = { kind: "seen", transactionHash, sighting } as const;
	try {
		const paid = await missingOf(deps, { intent, submission, finding, wallet, signal });
		const { missing, spentRaw } = paid;
		return missing ? null : { submission, transactionHash, sighting, receipt, spentRaw };
	} catch {
		// It is asked about again alone, where its error is told; the other payments go on.
		return null;
	}
}
