import { type BurstDeps, moveStep, takeStep } from "#plugins/reveal-snipe/burst/takeStep.ts";
import { BURST_MS } from "#plugins/reveal-snipe/limits.ts";
import {
	type Detection,
	noteRun,
	readOpenDetections,
} from "#plugins/reveal-snipe/sql/detections.ts";

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
		// Those that were minted since anybody looked for tokens are part of it.
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
