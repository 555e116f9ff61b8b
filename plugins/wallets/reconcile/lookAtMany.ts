import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { LOOKS_TOGETHER_MAX } from "#plugins/wallets/reconcile/limits.ts";
import { type LookedTogether, lookTogether } from "#plugins/wallets/reconcile/lookTogether.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/nextLookMs.ts";
import { noteSightings } from "#plugins/wallets/reconcile/noteSightings.ts";
import { postponeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Looks at all that is due, many at a time, and answers what has to be looked at by itself.
 *
 * Of those that are known to be in one block one is looked at: where it is still in that block, the
 * block is on the chain, and with it all that it holds. Only what is looked at for the last time,
 * because the block is deep enough, is looked at each by its own hash.
 */
export async function lookAtMany(
	world: ExecutionWorld,
	{ due, signal }: { due: readonly Submission[]; signal: AbortSignal },
): Promise<Submission[]> {
	const alone = due.filter((one) => !isPlain(one));
	const plain = due.filter(isPlain);
	const blocks = Map.groupBy(plain.filter(isMined), blockOf);
	const riders = [...blocks.values()].flatMap((ones) => ones.slice(1));
	const isRider = new Set(riders.map(({ id }) => id));
	const first = plain.filter(({ id }) => !isRider.has(id));
	await postponeLooks(world, [...alone, ...first]);
	const looked = await lookInParts(world, { submissions: first, signal });
	const standing = new Set(looked.unchanged.map(blockOf));
	await rideAlong(
		world,
		riders.filter((one) => standing.has(blockOf(one))),
	);
	const own = riders.filter((one) => !standing.has(blockOf(one)));
	await postponeLooks(world, own);
	const last = await lookInParts(world, { submissions: own, signal });
	return [...alone, ...looked.rest, ...last.rest];
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

async function lookInParts(
	world: ExecutionWorld,
	{ submissions, signal }: { submissions: readonly Submission[]; signal: AbortSignal },
): Promise<LookedTogether> {
	const all: LookedTogether = { unchanged: [], rest: [] };
	for (const [chainId, ones] of Map.groupBy(submissions, (one) => one.chainId)) {
		const rpc = world.rpcOf(chainId);
		for (let from = 0; rpc && from < ones.length && !signal.aborted; from += LOOKS_TOGETHER_MAX) {
			const part = ones.slice(from, from + LOOKS_TOGETHER_MAX);
			try {
				const { unchanged, rest } = await lookTogether(world, { submissions: part, rpc, signal });
				all.unchanged.push(...unchanged);
				all.rest.push(...rest);
			} catch (error) {
				// A chain that is away is asked in the next turn; the others go on.
				const level = error instanceof Fault ? "warn" : "error";
				world.log[level]("transactions of a chain could not be looked at now", { chainId, error });
			}
		}
	}
	return all;
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
