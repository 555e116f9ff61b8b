import { isSilence } from "#core/chain/rpc/isSilence.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { LOOKS_TOGETHER_MAX, RECONCILES_AT_ONCE } from "#plugins/wallets/reconcile/limits.ts";
import { type LookedTogether, lookTogether } from "#plugins/wallets/reconcile/lookTogether.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/nextLookMs.ts";
import { noteSightings } from "#plugins/wallets/reconcile/noteSightings.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

export type LooksAsked = {
	due: readonly Submission[];
	signal: AbortSignal;
	/** False for what is looked at before its time: where that fails, its time comes as it would. */
	postpones?: boolean;
};

export type LookedAtMany = {
	/** To be looked at each by itself. */
	alone: Submission[];
	/** Chains that answered of at least one of theirs. */
	readChains: ReadonlySet<number>;
};

type Looked = Pick<LookedTogether, "unchanged" | "rest"> & { readChains: Set<number> };

/**
 * Looks at all that is due, many at a time, and answers what has to be looked at by itself.
 *
 * Of those that are known to be in one block one is looked at: where it is still in that block, the
 * block is on the chain, and with it all that it holds. Only what is looked at for the last time,
 * because the block is deep enough, is looked at each by its own hash.
 *
 * What is answered and was no part of that is put off by whoever looks at it: there may be no time
 * left for all of it, and what was not looked at keeps its place.
 */
export async function lookAtMany(
	world: ExecutionWorld,
	{ due, signal, postpones = true }: LooksAsked,
): Promise<LookedAtMany> {
	const alone = due.filter((one) => !isPlain(one));
	const plain = due.filter(isPlain);
	const blocks = Map.groupBy(plain.filter(isMined), blockOf);
	const riders = [...blocks.values()].flatMap((ones) => ones.slice(1));
	const isRider = new Set(riders.map(({ id }) => id));
	const first = plain.filter(({ id }) => !isRider.has(id));
	if (postpones) await postponeLooks(world, first);
	const looked = await lookInParts(world, { submissions: first, signal });
	const standing = new Set(looked.unchanged.map(blockOf));
	await rideAlong(
		world,
		riders.filter((one) => standing.has(blockOf(one))),
	);
	const own = riders.filter((one) => !standing.has(blockOf(one)));
	await postponeLooks(world, own);
	const last = await lookInParts(world, { submissions: own, signal });
	return {
		alone: [...alone, ...looked.rest, ...last.rest],
		readChains: new Set([...looked.readChains, ...last.readChains]),
	};
}

/** Known by a hash, so that the chain alone can say where it is. */
function isPlain({ state, transactionHash }: Submission): boolean {
	const isKnown = state === "sent" || state === "mined" || state === "reverted";
	return isKnown && transactionHash !== null;
}

function isMined({ state, blockHash }: Submission): boolean {
	return state !== "sent" && blockHash !== null;
}

function blockOf({ chainId, blockHash }: Submission): string {
	return `${chainId} ${blockHash}`;
}

/** Chains side by side: one that is away, or slow, must not keep the others waiting. */
async function lookInParts(
	world: ExecutionWorld,
	{ submissions, signal }: { submissions: readonly Submission[]; signal: AbortSignal },
): Promise<Looked> {
	const all: Looked = { unchanged: [], rest: [], readChains: new Set() };
	const lookAtChain = async ([chainId, ones]: [number, Submission[]]) => {
		const rpc = world.rpcOf(chainId);
		for (let from = 0; rpc && from < ones.length && !signal.aborted; from += LOOKS_TOGETHER_MAX) {
			const part = ones.slice(from, from + LOOKS_TOGETHER_MAX);
			const looked = await lookAtPart(world, { part, chainId, rpc, signal });
			all.unchanged.push(...looked.unchanged);
			all.rest.push(...looked.rest);
			if (looked.isRead) all.readChains.add(chainId);
			// Each part would wait as long for nothing, and the turn's time is everybody's.
			if (looked.isAway) return;
		}
	};
	await Promise.all([...Map.groupBy(submissions, (one) => one.chainId)].map(lookAtChain));
	return all;
}

/** What is wrong with one of many is its own: where they fail, each is looked at by itself. */
async function lookAtPart(
	world: ExecutionWorld,
	given: { part: readonly Submission[]; chainId: number; rpc: Rpc; signal: AbortSignal },
): Promise<LookedTogether & { isAway: boolean }> {
	const { part, chainId, rpc, signal } = given;
	try {
		const looked = await lookTogether(world, { submissions: part, rpc, signal });
		return { ...looked, isAway: false };
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		world.log[level]("transactions of a chain could not be looked at now", { chainId, error });
		const isAway = isSilence(error);
		world.looks.troubles.isOf(error, { chainId, atMs: world.clock.nowMs() });
		// A node may be too slow for many, or its answer to many too large: so few always go on.
		const rest = isAway ? part.slice(0, RECONCILES_AT_ONCE) : [...part];
		return { unchanged: [], rest, isRead: false, isAway };
	}
}

async function rideAlong(world: ExecutionWorld, riders: readonly Submission[]): Promise<void> {
	if (riders.length === 0) return;
	const nowMs = world.clock.nowMs();
	const seen = riders.map((submission) => {
		const lookAt = new Date(nowMs + nextLookMs(submission, nowMs));
		return { submission, sighting: null, lookAt };
	});
	await world.steps.run("commit.found", () =>
		world.db.transaction((tx) => noteSightings(world, tx, { seen, at: new Date(nowMs) })),
	);
}
