import type { Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { RereadPart, RevealIndex } from "#plugins/market-index/contract.ts";
import type { Outcome, Step } from "#plugins/reveal-snipe/detection/nextSteps.ts";
import { BURST_LIFE_MS, COVERED_PERCENT } from "#plugins/reveal-snipe/limits.ts";
import { appendRevealFrame } from "#plugins/reveal-snipe/revealFrame.ts";
import {
	type Detection,
	moveDetection,
	noteProgress,
} from "#plugins/reveal-snipe/sql/detections.ts";

/** A collection whose tokens are all read and ranked, just before it is marked as revealed. */
export type Covered = Pick<Detection, "id" | "collectionId" | "chainId">;

/** Called when a burst covers its collection; perhaps twice, so it must be idempotent. */
export type OnCovered = (covered: Covered, options: { signal: AbortSignal }) => Promise<void>;

export type BurstDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox">;
	access: Pick<ChainAccess, "chain">;
	index: RevealIndex;
	onCovered: readonly OnCovered[];
	/** Returns the lease for this chain; null where another process holds it. */
	lease(): Promise<Lease | null>;
	signal: AbortSignal;
};

/** Does one step of a burst, and returns the next one; null where a later run must continue. */
export async function takeStep(
	deps: BurstDeps,
	detection: Detection,
	endsAtMs: number,
): Promise<Step | null> {
	const { index, signal } = deps;
	const { collectionId, step } = detection;
	const goOn = async (to: Step) => ((await moveStep(deps, detection, { to })) ? to : null);
	if (step === "reading") return read(deps, detection, endsAtMs);
	if (step === "counting") {
		await index.countTraits(collectionId, { signal });
		return goOn("ranking");
	}
	if (step === "ranking") {
		await index.rank(collectionId);
		return goOn("plans");
	}
	if (step === "plans") {
		for (const tell of deps.onCovered) await tell(detection, { signal });
		return goOn("revealing");
	}
	return step === "revealing" ? end(deps, detection, "revealed") : null;
}

type MoveOptions = { to: Step; outcome?: Outcome; also?(tx: Tx): Promise<void> };

/**
 * Stores the next step together with its effects; returns false without the lease, or if another
 * process moved it.
 */
export async function moveStep(
	{ core, lease }: BurstDeps,
	{ id, step }: Detection,
	{ to, outcome, also }: MoveOptions,
): Promise<boolean> {
	const held = await lease();
	if (!held) return false;
	const at = new Date(core.clock.nowMs());
	return core.db.transaction(async (tx) => {
		await requireLease(tx, held);
		if (!(await moveDetection(tx, { id, from: step, to }, { at, outcome: outcome ?? null })))
			return false;
		await also?.(tx);
		return true;
	});
}

/** Reads parts until all tokens are read, or the run's time is up; returns the next step. */
async function read(deps: BurstDeps, detection: Detection, endsAtMs: number): Promise<Step | null> {
	const { core, index, signal } = deps;
	const { id, collectionId, hiddenTraits, beganAt } = detection;
	const beganAtMs = beganAt?.getTime() ?? core.clock.nowMs();
	const giveUpOrWait = () => {
		const isTooOld = core.clock.nowMs() - beganAtMs > BURST_LIFE_MS;
		return isTooOld ? end(deps, detection, "given_up") : null;
	};
	for (;;) {
		const part = await index.reread(collectionId, { signal, untilMs: endsAtMs, hiddenTraits });
		// The chain is not reachable, or the collection was excluded.
		if (part === null) return giveUpOrWait();
		await noteProgress(core.db, id, part);
		if (part.end === "late" && core.clock.nowMs() < endsAtMs) continue;
		const outcome = part.end === "done" ? outcomeOf(part) : null;
		if (outcome === "covered") {
			return (await moveStep(deps, detection, { to: "counting" })) ? "counting" : null;
		}
		if (outcome !== null) return end(deps, detection, outcome);
		const { end: why, read: count, tokens } = part;
		core.log.info("a burst goes on later", { collectionId, why, read: count, tokens });
		return giveUpOrWait();
	}
}

/**
 * Returns the result of reading all tokens; null where too few could be read. A few permanently
 * broken tokens do not delay it.
 */
function outcomeOf({ tokens, read: count, shown }: RereadPart): "covered" | Outcome | null {
	if (count * 100 < tokens * COVERED_PERCENT) return null;
	if (shown * 100 >= tokens * COVERED_PERCENT) return "covered";
	return shown > 0 ? "partial" : "unchanged";
}

async function end(
	deps: BurstDeps,
	detection: Detection,
	outcome: Outcome,
): Promise<"ended" | null> {
	const { core, access, index } = deps;
	const { collectionId } = detection;
	const at = new Date(core.clock.nowMs());
	const isRevealed = outcome === "revealed";
	const ended = await moveStep(deps, detection, {
		to: "ended",
		outcome,
		async also(tx) {
			await index.endReread(tx, collectionId);
			if (isRevealed) await index.move(tx, { collectionId, event: "covered", at });
			const [subject] = await index.subjects([collectionId], tx);
			if (!subject) return;
			const phase = isRevealed ? "revealed" : "hidden_still";
			const { chain } = access;
			appendRevealFrame(core.outbox, tx, { chain, subject, phase, detection, at });
		},
	});
	if (ended) core.log.info("a burst ended", { collectionId, outcome });
	return ended ? "ended" : null;
}
