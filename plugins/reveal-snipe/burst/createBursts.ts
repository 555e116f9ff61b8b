import { type BurstDeps, moveStep, takeStep } from "#plugins/reveal-snipe/burst/takeStep.ts";
import { BURST_MS } from "#plugins/reveal-snipe/limits.ts";
import {
	type Detection,
	noteRun,
	readOpenDetections,
} from "#plugins/reveal-snipe/sql/detections.ts";

export type Bursts = {
	/** Continues every burst that is under way, and begins at most one more. */
	tick(): Promise<void>;
	/** Begins one waiting burst, if there is one; returns whether there was. */
	begin(): Promise<boolean>;
	/** Waits until nothing runs in this process any more. */
	ended(): Promise<void>;
};

/**
 * Runs bursts: after a reveal every token is read again, then traits are counted, tokens ranked,
 * plans evaluated, and the collection is marked as revealed. Progress is stored, so that after a
 * crash another process continues: with the unread tokens, or with the unfinished step.
 *
 * A run reads for 180 s at most; the next tick continues.
 */
export function createBursts(deps: BurstDeps): Bursts {
	const { core, access, index, signal } = deps;
	const chainId = access.chain.id;
	const running = new Map<number, Promise<void>>();

	function start(detection: Detection): void {
		if (signal.aborted || running.has(detection.id)) return;
		const run = runBurst(deps, detection)
			.catch((error) => {
				if (!signal.aborted) core.log.warn("a burst stopped, and is tried again", { error });
			})
			.finally(() => running.delete(detection.id));
		running.set(detection.id, run);
	}

	async function begin(): Promise<boolean> {
		const open = await readOpenDetections(core.db, chainId);
		const next = open.find(({ step }) => step === "queued");
		if (!next || signal.aborted) return false;
		const at = new Date(core.clock.nowMs());
		const { collectionId } = next;
		// Tokens minted since the last look belong to it too.
		await index.learn(collectionId, at);
		const begun = await moveStep(deps, next, {
			to: "reading",
			also: (tx) => index.beginReread(tx, { collectionId, at }),
		});
		if (begun) start({ ...next, step: "reading", beganAt: at });
		return begun;
	}

	return {
		begin,
		async tick() {
			for (const detection of await readOpenDetections(core.db, chainId)) {
				if (detection.step !== "queued") start(detection);
			}
			await begin();
		},
		async ended() {
			await Promise.all(running.values());
		},
	};
}

async function runBurst(deps: BurstDeps, begun: Detection): Promise<void> {
	const { core, signal } = deps;
	await noteRun(core.db, begun.id);
	const endsAtMs = core.clock.nowMs() + BURST_MS;
	let detection = begun;
	while (!signal.aborted) {
		const step = await takeStep(deps, detection, endsAtMs);
		if (step === null || step === "ended") return;
		detection = { ...detection, step };
	}
}
