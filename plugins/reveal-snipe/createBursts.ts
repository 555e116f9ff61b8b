// Reads all tokens of a collection again after its reveal, step by step.

import type { Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { RereadPart, RevealIndex } from "#plugins/market-index/contract.ts";
import { type Coverage, createCoverage } from "#plugins/reveal-snipe/coverage.ts";
import type { Outcome, Step } from "#plugins/reveal-snipe/detection.ts";
import {
	AGAIN_FIRST_MS,
	AGAIN_MAX_MS,
	AGAIN_TIMES,
	BURST_LIFE_MS,
	BURST_MS,
	COVERED_GRACE_MS,
	COVERED_PERCENT,
	SHOWN_EVERY_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { appendRevealFrame } from "#plugins/reveal-snipe/revealTools.ts";
import {
	type Detection,
	moveDetection,
	noteProgress,
	noteRun,
	readOpenDetections,
} from "#plugins/reveal-snipe/sql/detections.ts";

/** A collection whose tokens are all read and ranked, just before it is marked as revealed. */
type Covered = Pick<Detection, "id" | "collectionId" | "chainId">;

/** Called when a burst covers its collection; perhaps twice, so it must be idempotent. */
export type OnCovered = (covered: Covered, options: { signal: AbortSignal }) => Promise<void>;

/** Called each second in which tokens of a burst were revealed, before it covers its collection. */
export type OnShown = (covered: Covered) => Promise<void>;

export type BurstDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "outbox">;
	access: Pick<ChainAccess, "chain">;
	index: RevealIndex;
	onCovered: OnCovered;
	onShown?: OnShown;
	/** Returns the lease for this chain; null where another process holds it. */
	lease(): Promise<Lease | null>;
	signal: AbortSignal;
	/** Waits; a test waits by its own clock. */
	sleep?: typeof sleep;
};

type Bursts = {
	/** Continues every burst that is under way, and begins at most one more. */
	tick(): Promise<void>;
	/**
	 * Begins one waiting burst, if there is one; returns whether there was. Once it has ended the
	 * next follows.
	 */
	begin(): Promise<boolean>;
	/** Waits until nothing runs in this process any more. */
	ended(): Promise<void>;
};

type Run = { detection: Detection; endsAtMs: number; others(): Promise<boolean> };

type MoveOptions = { to: Step; outcome?: Outcome; also?(tx: Tx): Promise<void> };

/**
 * Runs bursts: after a reveal every token is read again, then traits are counted, tokens ranked,
 * plans evaluated, and the collection is marked as revealed. Progress is stored, so that after a
 * crash another process continues: with the unread tokens, or with the unfinished step.
 *
 * A run reads for 180 s at most; the next tick continues. A tick begins one, and so does each
 * detection, and each burst that ends.
 */
export function createBursts(deps: BurstDeps): Bursts {
	const { core, access, index, signal } = deps;
	const chainId = access.chain.id;
	const running = new Map<number, Promise<void>>();
	/** Detections that this process is beginning now: several begin one each, side by side. */
	const beginning = new Set<number>();

	function start(detection: Detection): void {
		if (signal.aborted || running.has(detection.id)) return;
		// What waits follows at once, and not with the next tick.
		const run = runBurst(deps, detection, begin)
			.then((isEnded) => isEnded && begin())
			.catch((error) => {
				if (!signal.aborted) core.log.warn("a burst stopped, and is tried again", { error });
			})
			.then(() => void running.delete(detection.id));
		running.set(detection.id, run);
	}

	/** Begins the first waiting detection that no other process has begun meanwhile. */
	async function begin(): Promise<boolean> {
		const tried = new Set<number>();
		while (!signal.aborted && (await deps.lease()) !== null) {
			const open = await readOpenDetections(core.db, chainId);
			const next = open.find(({ id, step }) => {
				return step === "queued" && !beginning.has(id) && !tried.has(id);
			});
			if (!next) return false;
			tried.add(next.id);
			beginning.add(next.id);
			try {
				if (await beginOne(next)) return true;
			} finally {
				beginning.delete(next.id);
			}
		}
		return false;
	}

	async function beginOne(next: Detection): Promise<boolean> {
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
			while (running.size > 0) await Promise.all(running.values());
		},
	};
}

/**
 * Runs a burst as far as it goes now; returns whether it ended. `others` is called once it waits
 * for tokens to be revealed: other bursts need not wait.
 */
async function runBurst(
	deps: BurstDeps,
	begun: Detection,
	others: () => Promise<boolean>,
): Promise<boolean> {
	const { core, signal } = deps;
	await noteRun(core.db, begun.id);
	const endsAtMs = core.clock.nowMs() + BURST_MS;
	let detection = begun;
	while (!signal.aborted) {
		const step =
			detection.step === "reading"
				? await createReading(deps, { detection, endsAtMs, others }).read()
				: await takeStep(deps, detection);
		if (step === null || step === "ended") return step === "ended";
		detection = { ...detection, step };
	}
	return false;
}

/** Does one step of a burst, and returns the next one; null where a later run must continue. */
async function takeStep(deps: BurstDeps, detection: Detection): Promise<Step | null> {
	const { index, signal } = deps;
	const { collectionId, step } = detection;
	const goOn = async (to: Step) => ((await moveStep(deps, detection, { to })) ? to : null);
	if (step === "counting") {
		await index.countTraits(collectionId, { signal });
		return goOn("ranking");
	}
	if (step === "ranking") {
		await index.rank(collectionId);
		return goOn("plans");
	}
	if (step === "plans") {
		await deps.onCovered(detection, { signal });
		return goOn("revealing");
	}
	return step === "revealing" ? end(deps, detection, "revealed") : null;
}

/**
 * Makes the reading of one run: all tokens, then again those that are still hidden, each second at
 * first, until enough are revealed for ranks to be useful, or the run's time is up.
 */
function createReading(deps: BurstDeps, run: Run) {
	const { core, index, signal } = deps;
	const { detection, endsAtMs, others } = run;
	const { id, collectionId } = detection;
	const { clock } = core;
	const coverage = createCoverage(detection);
	const wait = deps.sleep ?? sleep;
	let passes = 0;
	/** The token after which the next part continues, within one pass. */
	let after: bigint | null = null;
	let told = 0;
	let toldAtMs = Number.NEGATIVE_INFINITY;

	/** Reports the tokens that were revealed since the last report. */
	function tellShown(): void {
		const out = deps.onShown ? coverage.out().length : 0;
		if (out <= told || clock.nowMs() - toldAtMs < SHOWN_EVERY_MS) return;
		told = out;
		toldAtMs = clock.nowMs();
		deps.onShown?.(detection).catch((error) => {
			if (!signal.aborted) core.log.warn("early plans were not begun", { collectionId, error });
		});
	}

	/**
	 * Reads one part, and ends it shortly after enough tokens are revealed: the rest is read later.
	 */
	async function readPart(again: readonly bigint[], known: number): Promise<RereadPart | null> {
		const enough = new AbortController();
		const over = AbortSignal.any([signal, enough.signal]);
		let isEnough = false;
		const part = await index.reread(collectionId, {
			...{ signal, untilMs: endsAtMs, again, passes, after, enough: enough.signal },
			onStored(tokens) {
				coverage.add(tokens);
				tellShown();
				if (isEnough || !coverage.isCovered(known)) return;
				isEnough = true;
				void wait(COVERED_GRACE_MS, over).then(() => enough.abort());
			},
		});
		enough.abort();
		tellShown();
		after = part?.after ?? null;
		if (after === null) passes++;
		// Another one may be read in its place by now.
		return part && (await noteProgress(core.db, id, part)) ? part : null;
	}

	return {
		async read(): Promise<Step | null> {
			// If tokens differed before this reveal, each is compared with its own former content.
			const unread = detection.baseline.length === 0;
			const known = await index.rereadTokens(collectionId, { unread });
			coverage.compareWith(known.before);
			coverage.add(known.read);
			let total = known.tokens;
			let again: readonly bigint[] = [];
			let waitMs = AGAIN_FIRST_MS;
			for (;;) {
				const beganMs = clock.nowMs();
				const part = await readPart(again, total);
				// The chain is not reachable, or the reveal was withdrawn.
				if (part === null) return giveUpOrWait(deps, detection);
				total = part.tokens;
				const next = await afterPart(deps, run, { coverage, part });
				if (next !== "late" && next !== "hidden") return next;
				again = [];
				if (next === "late") continue;
				if (waitMs === AGAIN_FIRST_MS) void others().catch(() => {});
				await wait(Math.max(beganMs + waitMs - clock.nowMs(), 0), signal);
				if (signal.aborted) return null;
				waitMs = Math.min(waitMs * AGAIN_TIMES, AGAIN_MAX_MS);
				passes = 0;
				again = coverage.hidden();
			}
		},
	};
}

/** Returns the next step, where it is clear; `late`: tokens wait to be read. */
async function afterPart(
	deps: BurstDeps,
	{ detection, endsAtMs }: Run,
	{ coverage, part }: { coverage: Coverage; part: RereadPart },
): Promise<Step | "late" | "hidden" | null> {
	const { core, index } = deps;
	const { collectionId, hiddenTraits } = detection;
	const { end: why, tokens } = part;
	const out = coverage.out();
	if (coverage.isCovered(tokens)) {
		const isMoved = await moveStep(deps, detection, {
			to: "counting",
			also: (tx) => index.keepTraitsOf(tx, { collectionId, out, hiddenTraits }),
		});
		return isMoved ? "counting" : null;
	}
	const isUp = core.clock.nowMs() >= endsAtMs;
	if (why === "late" && !isUp) return "late";
	const read = out.length + coverage.hidden().length;
	const isRead = why !== "unreachable" && read * 100 >= tokens * COVERED_PERCENT;
	// All were asked for: what sampled tokens showed is gone again, or this is as far as it goes.
	if (isRead && out.length === 0) return end(deps, detection, "unchanged");
	if (isRead && isUp) return end(deps, detection, "partial");
	if (why === "done" && !isUp && read > 0) return "hidden";
	core.log.info("a burst goes on later", { collectionId, why, read, tokens });
	return giveUpOrWait(deps, detection);
}

function giveUpOrWait(deps: BurstDeps, detection: Detection): Promise<"ended" | null> | null {
	const nowMs = deps.core.clock.nowMs();
	const isTooOld = nowMs - (detection.beganAt?.getTime() ?? nowMs) > BURST_LIFE_MS;
	return isTooOld ? end(deps, detection, "given_up") : null;
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

/**
 * Stores the next step together with its effects; returns false without the lease, or if another
 * process moved it.
 */
async function moveStep(
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
