import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { RereadPart, RevealIndex } from "#plugins/market-index/contract.ts";
import type { Outcome, Step } from "#plugins/reveal-snipe/burst/steps.ts";
import { BURST_LIFE_MS, BURST_MS, COVERED_PERCENT } from "#plugins/reveal-snipe/limits.ts";
import { appendRevealFrame } from "#plugins/reveal-snipe/revealFrame.ts";
import {
	type Detection,
	moveDetection,
	noteProgress,
	noteRun,
	readOpenDetections,
} from "#plugins/reveal-snipe/sql/detections.ts";

/** A collection whose tokens are all read and ranked, and that is about to be called revealed. */
export type Covered = Pick<Detection, "id" | "collectionId" | "chainId">;

/** Told when a burst covers its collection. It may be told twice, so doing it twice is harmless. */
export type OnCovered = (covered: Covered, options: { signal: AbortSignal }) => Promise<void>;

export type BurstDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox">;
	access: Pick<ChainAccess, "chain">;
	index: RevealIndex;
	onCovered: readonly OnCovered[];
	/** The right to act on this chain; null where another process has it by now. */
	lease(): Promise<Lease | null>;
	signal: AbortSignal;
};

export type Bursts = {
	/** Goes on with every burst that is under way, and begins one more at most. */
	tick(): Promise<void>;
	/** Begins one burst that waits, if there is one; answers whether there was. */
	begin(): Promise<boolean>;
	/** Waits until nothing runs here any more. */
	ended(): Promise<void>;
};

/**
 * After a reveal every token is read again, then traits are counted, tokens ranked, plans told, and
 * the collection is called revealed. Where it stands is stored, so that whoever comes after a crash
 * goes on: with the tokens not read yet, or with the step that was not at its end.
 *
 * A run reads for 180 s at most. What is left then is the next tick's.
 */
export function createBursts(deps: BurstDeps): Bursts {
	const { core, access, index, signal } = deps;
	const { chain } = access;
	const running = new Map<number, Promise<void>>();

	function start(detection: Detection): void {
		if (signal.aborted || running.has(detection.id)) return;
		const run = runBurst(detection)
			.catch((error) => {
				if (!signal.aborted) core.log.warn("a burst stopped, and is tried again", { error });
			})
			.finally(() => running.delete(detection.id));
		running.set(detection.id, run);
	}

	async function begin(): Promise<boolean> {
		const open = await readOpenDetections(core.db, chain.id);
		const next = open.find(({ step }) => step === "queued");
		if (!next || signal.aborted) return false;
		const at = new Date(core.clock.nowMs());
		const { collectionId } = next;
		const begun = await move(next, "reading", {
			also: async (tx) => {
				await index.beginReread(tx, { collectionId, at });
			},
		});
		if (begun) start({ ...next, step: "reading", beganAt: at });
		return begun;
	}

	type MoveOptions = {
		outcome?: Outcome;
		also?(tx: Parameters<typeof requireLease>[0]): Promise<void>;
	};

	/** Stores the next step together with what it means; false where it is not ours to do. */
	async function move(from: Detection, to: Step, options: MoveOptions = {}): Promise<boolean> {
		const { outcome = null, also } = options;
		const lease = await deps.lease();
		if (!lease) return false;
		const at = new Date(core.clock.nowMs());
		return core.db.transaction(async (tx) => {
			await requireLease(tx, lease);
			const { id, step } = from;
			if (!(await moveDetection(tx, { id, from: step, to }, { at, outcome }))) return false;
			await also?.(tx);
			return true;
		});
	}

	async function runBurst(begun: Detection): Promise<void> {
		await noteRun(core.db, begun.id);
		const endsAtMs = core.clock.nowMs() + BURST_MS;
		let detection = begun;
		while (!signal.aborted) {
			const next = await takeStep(detection, endsAtMs);
			if (next === null || next === "ended") return;
			detection = { ...detection, step: next };
		}
	}

	/** Does one step, and answers the next one; null where the rest is for another run. */
	async function takeStep(detection: Detection, endsAtMs: number): Promise<Step | null> {
		const { collectionId, step } = detection;
		const goOn = async (to: Step) => ((await move(detection, to)) ? to : null);
		if (step === "reading") return read(detection, endsAtMs);
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
		return step === "revealing" ? end(detection, "revealed") : null;
	}

	async function read(detection: Detection, endsAtMs: number): Promise<Step | null> {
		const { id, collectionId, hiddenTraits } = detection;
		for (;;) {
			const part = await index.reread(collectionId, { signal, untilMs: endsAtMs, hiddenTraits });
			if (part === null) return isTooOld(detection) ? end(detection, "given_up") : null;
			await noteProgress(core.db, id, part);
			if (part.end === "late" && core.clock.nowMs() < endsAtMs) continue;
			const outcome = part.end === "done" ? outcomeOf(part) : null;
			if (outcome === "covered") return (await move(detection, "counting")) ? "counting" : null;
			if (outcome !== null) return end(detection, outcome);
			const { end: why, read: count, tokens } = part;
			core.log.info("a burst goes on later", { contract: collectionId, why, read: count, tokens });
			return isTooOld(detection) ? end(detection, "given_up") : null;
		}
	}

	function isTooOld({ beganAt }: Detection): boolean {
		return beganAt !== null && core.clock.nowMs() - beganAt.getTime() > BURST_LIFE_MS;
	}

	async function end(detection: Detection, outcome: Outcome): Promise<Step | null> {
		const { collectionId } = detection;
		const at = new Date(core.clock.nowMs());
		const ended = await move(detection, "ended", {
			outcome,
			async also(tx) {
				await index.endReread(tx, collectionId);
				if (outcome === "revealed") {
					await index.move(tx, { collectionId, event: "covered", at });
				}
				const [subject] = await index.subjects([collectionId], tx);
				if (!subject) return;
				const phase = outcome === "revealed" ? "revealed" : "hidden_still";
				appendRevealFrame(core.outbox, tx, { chain, subject, phase, detection, at });
			},
		});
		if (ended) core.log.info("a burst ended", { contract: collectionId, outcome });
		return ended ? "ended" : null;
	}

	return {
		begin,
		async tick() {
			for (const detection of await readOpenDetections(core.db, chain.id)) {
				if (detection.step !== "queued") start(detection);
			}
			await begin();
		},
		async ended() {
			await Promise.all(running.values());
		},
	};
}

/**
 * What reading all tokens came to; null where too few could be read. A few that are broken for good
 * keep nobody waiting.
 */
function outcomeOf({ tokens, read, shown }: RereadPart): "covered" | Outcome | null {
	if (read * 100 < tokens * COVERED_PERCENT) return null;
	if (shown * 100 >= tokens * COVERED_PERCENT) return "covered";
	return shown > 0 ? "partial" : "unchanged";
}
