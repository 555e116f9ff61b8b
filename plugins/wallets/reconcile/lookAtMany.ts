import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { isSilence } from "#core/chain/rpc/isSilence.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import {
	LOOKS_TOGETHER_MAX,
	RECONCILE_ROWS_MAX,
	RECONCILES_AT_ONCE,
	RIDER_LOOK_MS,
} from "#plugins/wallets/reconcile/limits.ts";
import { type LookedTogether, lookTogether } from "#plugins/wallets/reconcile/lookTogether.ts";
import { noteSightings } from "#plugins/wallets/reconcile/noteSightings.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { usedByOurs } from "#plugins/wallets/reconcile/provenByOurs.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { readSubmissions } from "#plugins/wallets/submission/submissionRow.ts";

type MinedBlock = { chainId: number; hash: Hex };

export type LooksAsked = {
	due: readonly Submission[];
	signal: AbortSignal;
	/** False for what is looked at before its time: where that fails, its time comes as it would. */
	postpones?: boolean;
};

export type LookedAtMany = {
	/** To be looked at each by itself. */
	alone: Submission[];
	/** About which their chain said what it knows. */
	answered: Submission[];
};

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

/** What is in the same blocks, and neither due nor looked at by somebody else in this process. */
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

/** Known by a hash, so that the chain alone can say where it is; a revert takes two to say. */
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

/** What is wrong with one of many is its own: where they fail, each is looked at by itself. */
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
