// Follows the runs of buybacks: what they hold and spent, and what becomes of one that hangs.

import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import type { Steps } from "#core/steps.ts";
import { DAY_MS } from "#core/time.ts";
import {
	type BuybackDeps,
	FOLDED_MAX,
	type Refusal,
	RUN_KEPT_MS,
	RUN_OPEN_MS,
	refusal,
	SLOT_MS,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import type { TurnStep } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { type BuybackRun, buybackRuns } from "#plugins/tokenomics/sql/buybackRuns.ts";
import type { Held, Intent, Profile } from "#plugins/wallets/contract.ts";

type FollowDeps = BuybackDeps & { steps: Steps<TurnStep> };

/** Holds which buyback runs were made, which one is open, and what they spent. */
export type Runs = {
	/** Lists the slots of the last day that had a run. */
	slots: ReadonlySet<number>;
	/** Names the newest run's slot; null where there never was a run. */
	newest: number | null;
	/** Holds the run that is under way or whose end is not known; null: the next may begin. */
	open: { run: BuybackRun; status: Intent["status"] } | null;
	/** Lists the runs that are not in the sums, with what each spent or holds. */
	standing: readonly Standing[];
	/** Sums what the other runs spent of the router's revenue, by currency. */
	sums: ReadonlyMap<Address, bigint>;
};

/** Sums what runs spent or hold: of the router's revenue, and in the last 24 hours. */
type Spending = { spent: ReadonlyMap<Address, bigint>; dayUsdMicros: bigint };

type Standing = { run: BuybackRun; held: Pick<Held, "status" | "raw"> };

type Waiting = {
	nowMs: number;
	/** Returns the deployment's own account, or why it cannot be used. */
	keeper(): Promise<{ profile: Profile } | Refusal>;
	signal: AbortSignal;
};

/** Lists the states in which no more is sent for an intent; a reorganised chain can change them. */
const OVER: ReadonlySet<Intent["status"]> = new Set([
	...(["confirmed", "failed", "rejected", "expired", "dry_run"] as const),
]);

/** Lists the states of an intent that was sent, or may have been. */
const SENT: ReadonlySet<Intent["status"]> = new Set(["submitted", "uncertain"] as const);

/** Limits the intents that are read: an open run has a release, two allowances and a purchase. */
const OPEN_INTENTS_MAX = 20;

/** Stands for an intent that is gone from the records: its end is not known, so the run waits. */
const UNKNOWN = { status: "uncertain", raw: 0n } as const;

/** Reads what a node says of a transaction: null where it is in no block. */
const receiptSchema = z.looseObject({ status: z.enum(["0x0", "0x1"]) }).nullable();

/**
 * Looks up the runs of the last day, by what the spend ledger holds for each: a run is never
 * repeated and never guessed. One whose block left the chain is open again. Runs that are over are
 * settled.
 */
export async function followRuns(
	deps: FollowDeps,
	{ router, nowMs }: { router: Address; nowMs: number },
): Promise<Runs> {
	const { db, chain, wallets } = deps;
	const chainId = chain.id;
	return deps.steps.run("commit.buyback", () =>
		db.transaction(async (tx) => {
			const runs = await buybackRuns.unfolded(tx, chainId);
			const held = await wallets.execution.held(
				tx,
				runs.map(({ intentId }) => intentId),
			);
			const heldOf = new Map(held.map((one) => [one.intentId, one]));
			const standing = runs.map((run) => ({ run, held: heldOf.get(run.intentId) ?? UNKNOWN }));
			const over = standing.filter((one) => OVER.has(one.held.status));
			const unsettled = over.filter(({ run }) => run.settledAt === null);
			if (unsettled.length > 0) {
				const slots = unsettled.map(({ run }) => run.slot);
				await buybackRuns.settle(tx, { chainId, slots, at: new Date(nowMs) });
			}
			const open = standing.find((one) => !OVER.has(one.held.status));
			const sums = await buybackRuns.sums(tx, { chainId, router });
			const [newest] = await buybackRuns.newest(tx, { chainId, limit: 1 });
			return {
				newest: newest?.slot ?? null,
				slots: new Set(runs.map(({ slot }) => slot)),
				open: open ? { run: open.run, status: open.held.status } : null,
				...{ standing, sums },
			};
		}),
	);
}

/**
 * Looks up each ended purchase on the chain again, also a final one: a purchase that the chain no
 * longer has burned nothing. Returns the runs that an operator has declared as lost, and why no run
 * may begin where a missing one was not declared.
 */
export async function findGone(
	{ rpc, wallets, goneTransactions }: FollowDeps,
	asked: { standing: readonly Standing[]; profileId: string; signal: AbortSignal },
): Promise<ReadonlySet<BuybackRun> | Refusal> {
	const { standing, profileId, signal } = asked;
	const bought: { run: BuybackRun; hash: Hex }[] = [];
	for (const { run, held } of standing) {
		if (!OVER.has(held.status) || held.raw === 0n) continue;
		const hash = (await wallets.execution.read(run.intentId, profileId))?.transactionHash;
		if (hash) bought.push({ run, hash });
	}
	const calls = bought.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
	const outcomes = calls.length > 0 ? await rpc.settle(calls, { signal }) : [];
	const gone = new Set<BuybackRun>();
	for (const [at, { run, hash }] of bought.entries()) {
		const outcome = outcomes[at];
		const read = receiptSchema.safeParse(outcome?.kind === "result" ? outcome.result : undefined);
		if (!read.success) return refusal("chain_unavailable");
		// A purchase that reverts where it is mined anew burned nothing either.
		if (read.data?.status === "0x1") continue;
		if (!goneTransactions.has(hash)) return refusal("previous_vanished", `It is ${hash}.`);
		gone.add(run);
	}
	return gone;
}

/** Takes older runs into the sums; what is gone for good spent nothing. */
export async function foldRuns(
	{ db, chain, steps }: FollowDeps,
	given: { standing: readonly Standing[]; gone: ReadonlySet<BuybackRun>; nowMs: number },
): Promise<void> {
	const before = given.nowMs - RUN_OPEN_MS;
	const old = given.standing.filter(
		({ run, held }) => OVER.has(held.status) && run.startedAt.getTime() < before,
	);
	if (old.length === 0) return;
	await steps.run("commit.buyback", () =>
		db.transaction(async (tx) => {
			for (const { run, held } of old.slice(-FOLDED_MAX)) {
				const spentRaw = given.gone.has(run) ? 0n : held.raw;
				await buybackRuns.fold(tx, { chainId: chain.id, run, spentRaw });
			}
			await buybackRuns.prune(tx, RUN_KEPT_MS);
		}),
	);
}

/** Sums what runs spent or hold, without those that are gone for good. */
export function spendingOf(
	{ standing, sums }: Pick<Runs, "standing" | "sums">,
	given: { router: Address; gone: ReadonlySet<BuybackRun>; nowMs: number },
): Spending {
	const counted = standing.filter(({ run }) => !given.gone.has(run));
	return {
		spent: spentBy(sums, counted, given.router),
		dayUsdMicros: dayOf(counted, given.nowMs),
	};
}

/**
 * Waits for the run before, and takes it back where it is open for as long as runs are apart and
 * may not be sent any more: its nonces are used for nothing, so that of two transactions at most
 * one is ever mined. Whatever nodes have forgotten, however far a chain was rolled back, it ends.
 */
export async function waitForRun(
	deps: FollowDeps,
	{ run, status }: NonNullable<Runs["open"]>,
	{ nowMs, keeper, signal }: Waiting,
): Promise<Refusal> {
	const { execution } = deps.wallets;
	const code = status === "uncertain" ? "previous_uncertain" : "previous_open";
	if (nowMs < run.startedAt.getTime() + SLOT_MS) return refusal(code);
	const who = await keeper();
	if ("code" in who) return refusal(code, who.detail);
	const intent = await execution.read(run.intentId, who.profile.id);
	if (!intent) return refusal(code, "Its record cannot be read.");
	// Steps before it have lower nonces: where their blocks are gone as well, nothing passes them.
	const { items } = await execution.list(who.profile.id, { limit: OPEN_INTENTS_MAX });
	const sent = items.filter((one) => SENT.has(one.status)).reverse();
	const open = [...sent, await execution.asking(intent)].filter(
		({ plan }) => (plan?.expiresAtMs ?? 0) <= nowMs,
	);
	let stopped = open.length === 0 ? "It may be sent still." : null;
	for (const id of new Set(open.map((one) => one.id))) {
		stopped = (await takeBack(deps, id, signal)) ?? stopped;
	}
	return stopped === null ? refusal("previous_taken_back") : refusal(code, stopped);
}

/** Cancels an intent; returns in words why that cannot be done now, null where it is done. */
async function takeBack(
	{ wallets, log }: FollowDeps,
	intentId: string,
	signal: AbortSignal,
): Promise<string | null> {
	try {
		await wallets.execution.cancel(intentId, { actor: "service:tokenomics", signal });
		return null;
	} catch (error) {
		if (!(error instanceof Fault) || signal.aborted) throw error;
		log.warn("a step of a buyback cannot be taken back now", { intentId, error });
		return error.publicDetail;
	}
}

function spentBy(
	sums: ReadonlyMap<Address, bigint>,
	standing: readonly Standing[],
	router: Address,
): Map<Address, bigint> {
	const spent = new Map(sums);
	for (const { run, held } of standing) {
		if (run.router !== router) continue;
		spent.set(run.currency, (spent.get(run.currency) ?? 0n) + held.raw);
	}
	return spent;
}

function dayOf(standing: readonly Standing[], nowMs: number): bigint {
	return standing
		.filter(({ run, held }) => held.raw > 0n && run.startedAt.getTime() > nowMs - DAY_MS)
		.reduce((sum, { run }) => sum + run.usdMicros, 0n);
}
