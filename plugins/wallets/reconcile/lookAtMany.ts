// Looks at open submissions, many of one chain in one request.

import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { sendSigned } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { isSilence } from "#core/chain/rpc/readAnswers.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import {
	eachAtOnce,
	LOOK_TIMEOUT_MS,
	LOOKS_TOGETHER_MAX,
	PROBE_AFTER_MS,
	postponeLooks,
	RECONCILE_ROWS_MAX,
	RECONCILES_AT_ONCE,
	RIDER_LOOK_MS,
	wakeLooks,
} from "#plugins/wallets/reconcile/looks.ts";
import {
	type LookedTogether,
	lookTogether,
	missingOf,
} from "#plugins/wallets/reconcile/lookTogether.ts";
import { lookUp, readRebroadcast, usedByOurs } from "#plugins/wallets/reconcile/lookUp.ts";
import { expectedOf, noteSightings } from "#plugins/wallets/reconcile/settleMined.ts";
import { readSubmissions, type Submission } from "#plugins/wallets/submission/submission.ts";

export type LooksAsked = {
	due: readonly Submission[];
	signal: AbortSignal;
	/** False for what is looked at before its time: where that fails, its time comes as it would. */
	postpones?: boolean;
};

export type LookedAtMany = {
	/** To be looked at each by itself. */
	alone: Submission[];
	/** Submissions about which their chain gave an answer. */
	answered: Submission[];
};

type MinedBlock = { chainId: number; hash: Hex };

type Looked = Pick<LookedTogether, "unchanged" | "rest" | "answered">;

/**
 * Looks at all that is due, many at a time, and answers what has to be looked at by itself.
 *
 * Of those that are known to be in one block one is looked at: where it is still in that block, the
 * block is on the chain, and with it all that it holds. Where it is not, or
 * cannot be asked for, or is looked at for the last time because the block is deep enough, all of
 * that block are looked at, each by its own hash, whether or not their time has come: others of a
 * block than the one are due rarely.
 *
 * What is answered and was no part of that is put off by whoever looks at it: there may be no time
 * left for all of it, and what was not looked at keeps its place.
 */
export async function lookAtMany(
	deps: ExecutionDeps,
	{ due, signal, postpones = true }: LooksAsked,
): Promise<LookedAtMany> {
	const ended = await usedByOurs(
		deps.db,
		due.filter(({ state, purpose }) => state === "sent" && purpose === "pay"),
	);
	const alone = due.filter((one) => !isPlain(one) || ended.has(one.id));
	const plain = due.filter((one) => isPlain(one) && !ended.has(one.id));
	const blocks = Map.groupBy(plain.filter(isMined), blockOf);
	const riders = [...blocks.values()].flatMap((ones) => ones.slice(1));
	const isRider = new Set(riders.map(({ id }) => id));
	const first = plain.filter(({ id }) => !isRider.has(id));
	if (postpones) await postponeLooks(deps, first);
	const looked = await lookInParts(deps, { submissions: first, signal });
	const standing = new Set(looked.unchanged.map(blockOf));
	await rideAlong(
		deps,
		riders.filter((one) => standing.has(blockOf(one))),
	);
	const left = first.filter((one) => isMined(one) && !standing.has(blockOf(one)));
	const others = await othersOf(deps, { left, due });
	const own = [...riders.filter((one) => !standing.has(blockOf(one))), ...others];
	await postponeLooks(deps, own);
	const last = await lookInParts(deps, { submissions: own, signal });
	return {
		alone: [...alone, ...looked.rest, ...last.rest],
		answered: [...looked.answered, ...last.answered],
	};
}

/**
 * Looks at submissions, many at a time, and at each by itself that needs more. What this process is
 * looking at already is left to that look: two would ask the same, and wait for each other's rows.
 *
 * Where a chain cannot be read, a few of its submissions come again soon, whatever their age: once
 * one of them is answered, all that was put off meanwhile is looked at.
 */
export async function lookAtDue(deps: ExecutionDeps, asked: LooksAsked): Promise<void> {
	const { underWay } = deps.looks;
	// Looks that are put off from this time on are resumed with the first ones that fail.
	const atMs = deps.clock.nowMs();
	const due = asked.due.filter(({ id }) => !underWay.has(id));
	for (const { id } of due) underWay.add(id);
	try {
		const { alone, answered } = await lookAtMany(deps, { ...asked, due });
		for (const [chainId, ones] of Map.groupBy(answered, (one) => one.chainId)) {
			await resume(deps, { chainId, answered: ones });
		}
		await lookAtEach(deps, { submissions: alone, atMs, signal: asked.signal });
	} finally {
		for (const { id } of due) underWay.delete(id);
	}
}

/**
 * Finds out what became of one submission, and writes it down. Hands nothing over, ever: what was
 * dropped is broadcast again byte for byte, where its bytes are known.
 */
export async function reconcileSubmission(
	deps: ExecutionDeps,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<void> {
	const [intent] = await readIntents(deps.db, [submission.intentId]);
	const rpc = intent && deps.rpcOf(intent.chainId);
	if (!intent?.plan || !rpc) return;
	const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const plan = expectedOf(submission, intent.plan);
	const finding = await lookUp(deps, { submission, plan, rpc, signal: within });
	const paidFor = await missingOf(deps, { intent, submission, finding, signal: within });
	const signed = await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			await applyFinding(deps, tx, { submission, finding, ...paidFor });
			if (finding.kind !== "dropped") return null;
			return await readRebroadcast(deps, tx, { submission, intent });
		}),
	);
	if (signed) await rebroadcast(deps, { intentId: intent.id, rpc, signed, signal: within });
}

/** Says whether its hash is known, so that the chain alone can say where it is. */
function isPlain({ state, transactionHash }: Submission): boolean {
	return (state === "sent" || state === "mined") && transactionHash !== null;
}

function isMined({ state, blockHash }: Submission): boolean {
	return state !== "sent" && blockHash !== null;
}

function blockOf({ chainId, blockHash }: Submission): string {
	return `${chainId} ${blockHash}`;
}

/** Chains side by side: one that is away, or slow, must not keep the others waiting. */
async function lookInParts(
	deps: ExecutionDeps,
	{ submissions, signal }: { submissions: readonly Submission[]; signal: AbortSignal },
): Promise<Looked> {
	const all: Looked = { unchanged: [], rest: [], answered: [] };
	const lookAtChain = async ([chainId, ones]: [number, Submission[]]) => {
		const rpc = deps.rpcOf(chainId);
		for (let from = 0; rpc && from < ones.length && !signal.aborted; from += LOOKS_TOGETHER_MAX) {
			const part = ones.slice(from, from + LOOKS_TOGETHER_MAX);
			const looked = await lookAtPart(deps, { part, chainId, rpc, signal });
			all.unchanged.push(...looked.unchanged);
			all.rest.push(...looked.rest);
			all.answered.push(...looked.answered);
			// Each part would wait as long for nothing, and the turn's time is everybody's.
			if (looked.isAway) return;
		}
	};
	await Promise.all([...Map.groupBy(submissions, (one) => one.chainId)].map(lookAtChain));
	return all;
}

/** Looks at a part of many; where that fails, each is looked at by itself. */
async function lookAtPart(
	deps: ExecutionDeps,
	given: { part: readonly Submission[]; chainId: number; rpc: Rpc; signal: AbortSignal },
): Promise<LookedTogether & { isAway: boolean }> {
	const { part, chainId, rpc, signal } = given;
	try {
		const looked = await lookTogether(deps, { submissions: part, rpc, signal });
		return { ...looked, isAway: false };
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		deps.log[level]("transactions of a chain could not be looked at now", { chainId, error });
		const isAway = isSilence(error);
		// A node may be too slow for many, or its answer to many too large: so few always go on.
		const rest = isAway ? part.slice(0, RECONCILES_AT_ONCE) : [...part];
		return { unchanged: [], rest, answered: [], isAway };
	}
}

async function rideAlong(deps: ExecutionDeps, riders: readonly Submission[]): Promise<void> {
	if (riders.length === 0) return;
	const nowMs = deps.clock.nowMs();
	const seen = riders.map((submission) => {
		return { submission, sighting: null, lookAt: new Date(nowMs + RIDER_LOOK_MS) };
	});
	await deps.steps.run("commit.found", () =>
		deps.db.transaction((tx) => noteSightings(deps, tx, { seen, at: new Date(nowMs) })),
	);
}

/**
 * Returns submissions in the same blocks that are neither due nor being looked up by this process.
 */
async function othersOf(
	{ db, looks }: ExecutionDeps,
	{ left, due }: { left: readonly Submission[]; due: readonly Submission[] },
): Promise<Submission[]> {
	const blocks = new Map(
		left.flatMap((one) => {
			const { chainId, blockHash: hash } = one;
			return hash === null ? [] : [[blockOf(one), { chainId, hash }] as const];
		}),
	);
	if (blocks.size === 0) return [];
	const isDue = new Set(due.map(({ id }) => id));
	const others = await readOfBlocks(db, [...blocks.values()]);
	return others.filter((one) => isPlain(one) && !isDue.has(one.id) && !looks.underWay.has(one.id));
}

/**
 * Reads what is known to be mined in some blocks and is not final. Scans `submission_open`: a block
 * leaves the chain, or becomes final, once.
 */
async function readOfBlocks(db: Queryable, blocks: readonly MinedBlock[]): Promise<Submission[]> {
	const { items } = await readSubmissions(
		db,
		`where s.final_at is null and s.state in ('mined', 'reverted')
			and (s.chain_id, s.block_hash) in (select * from unnest($1::int8[], $2::bytea[]))
		order by s.look_at nulls first limit $3`,
		[
			blocks.map(({ chainId }) => chainId),
			blocks.map(({ hash }) => hexToBytes(hash)),
			RECONCILE_ROWS_MAX,
		],
	);
	return items;
}

async function resume(
	deps: ExecutionDeps,
	{ chainId, answered }: { chainId: number; answered: readonly Submission[] },
): Promise<void> {
	const ids = answered.map(({ id }) => id);
	const sinceMs = deps.looks.troubles.endedBy(chainId, ids);
	if (sinceMs !== null) await wakeLooks(deps, { chainId, sinceMs });
}

async function lookAtEach(
	deps: ExecutionDeps,
	given: { submissions: readonly Submission[]; atMs: number; signal: AbortSignal },
): Promise<void> {
	const { submissions, atMs, signal } = given;
	const probes = new Map<number, number>();
	await eachAtOnce(deps, { items: submissions, signal }, async (submission) => {
		const { chainId, id } = submission;
		await postponeLooks(deps, [submission]);
		try {
			await reconcileSubmission(deps, { submission, signal });
		} catch (error) {
			const isOfChain = deps.looks.troubles.note(error, { chainId, id, atMs });
			const before = probes.get(chainId) ?? 0;
			if (isOfChain && before < RECONCILES_AT_ONCE) {
				probes.set(chainId, before + 1);
				await postponeLooks(deps, [submission], PROBE_AFTER_MS);
			}
			throw error;
		}
		await resume(deps, { chainId, answered: [submission] });
	});
}

async function rebroadcast(
	deps: ExecutionDeps,
	given: { intentId: string; rpc: Rpc; signed: Hex; signal: AbortSignal },
): Promise<void> {
	const { intentId, rpc, signed, signal } = given;
	try {
		await deps.steps.run("rpc.rebroadcast", () => sendSigned(rpc, { signed, signal }));
		deps.log.info("a dropped transaction was broadcast again as it is", { intentId });
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		// The next look says whether some node has it.
		deps.log.warn("a node does not take a dropped transaction again", { intentId, error });
	}
}
