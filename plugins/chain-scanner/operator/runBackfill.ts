// Follows a requested backfill to its end, and shows its progress.

import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { backfillLease } from "#plugins/chain-scanner/lane/startBackfill.ts";
import type {
	BackfillProgress,
	ScannerOperator,
} from "#plugins/chain-scanner/operator/createOperator.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { closeRequest, owedWithin } from "#plugins/chain-scanner/sql/gap.ts";

export type BackfillSpan = {
	range: BlockRange;
	/** Mints and sales by default; owners have walks of their own. */
	lanes: readonly LaneKind[];
};

export type BackfillRun = {
	core: Pick<Core, "clock" | "db" | "leases">;
	scanner: Pick<ScannerOperator, "drain">;
	access: ChainAccess;
	ask: BackfillSpan;
	head: number;
	signal: AbortSignal;
	everyMs: number;
	show(progress: BackfillProgress): void;
};

type Seen = { events: number; trouble: string | null };

const BAR_WIDTH = 24;

const ASK_EVERY_MS = 1_000;

/**
 * Reads a requested span, or waits while another process does it, until nothing of it is missing,
 * only refused blocks are, or the signal aborts. Returns how it ended.
 */
export async function runBackfill(run: BackfillRun): Promise<BackfillProgress> {
	const { access, head, scanner, signal, everyMs, show } = run;
	const ended = new AbortController();
	const seen = { events: 0, trouble: null as string | null };
	const work = scanner.drain(access, {
		signal: AbortSignal.any([signal, ended.signal]),
		head,
		onDrained({ events }) {
			seen.events += events;
			seen.trouble = null;
		},
		onFailure: (code) => {
			seen.trouble = code;
		},
	});
	// Awaited later.
	work.catch(() => {});
	try {
		const measure = createMeasure(run, seen);
		for (;;) {
			const progress = await measure();
			show(progress);
			const { state } = progress;
			if (state === "done" || state === "refused" || state === "interrupted") return progress;
			await Promise.race([sleep(everyMs, signal), work.catch(() => {})]);
		}
	} finally {
		ended.abort();
		await work;
	}
}

/** Returns one line for a terminal: how much is done, how fast it goes, when it ends. */
export function progressLine(progress: BackfillProgress): string {
	const { blocksAll, blocksLeft, events, state, trouble, blocksPerSecond } = progress;
	const share = blocksAll === 0 ? 1 : 1 - blocksLeft / blocksAll;
	// Rounded down: unfinished work must not look finished.
	const filled = Math.floor(share * BAR_WIDTH);
	const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
	const parts = [
		`${bar} ${Math.floor(share * 100)} %`,
		`${grouped(blocksLeft)} of ${grouped(blocksAll)} blocks left`,
	];
	if (state !== "watching") parts.push(`${grouped(events)} events`);
	if (blocksPerSecond !== null) parts.push(`${grouped(Math.round(blocksPerSecond))} blocks/s`);
	if (progress.secondsLeft !== null) parts.push(`${duration(progress.secondsLeft)} left`);
	if (state === "watching") parts.push("read by another process");
	if (state === "waiting") parts.push(`waiting (${trouble})`);
	return parts.join("  ");
}

/**
 * Returns the chain's head; waits for an unavailable endpoint, and says so once. Null when aborted.
 */
export async function untilHead(
	{ chain, rpcFor }: Pick<ChainAccess, "chain" | "rpcFor">,
	{ signal, note }: { signal: AbortSignal; note(line: string): void },
): Promise<Head | null> {
	const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
	let isNoted = false;
	while (!signal.aborted) {
		const head = await rpcFor("heads")
			.call(call, { signal })
			.then(parseHead, () => null);
		if (head) return head;
		if (!isNoted && !signal.aborted) {
			note(`the RPC endpoint of ${chain.slug} does not answer; waiting for it`);
		}
		isNoted = true;
		await sleep(ASK_EVERY_MS, signal);
	}
	return null;
}

function createMeasure(run: BackfillRun, seen: Seen): () => Promise<BackfillProgress> {
	const { core, access, ask, signal } = run;
	const { range, lanes } = ask;
	const blocksAll = (range.to - range.from + 1) * lanes.length;
	const beganMs = core.clock.nowMs();
	let leftAtFirst: number | null = null;
	return async () => {
		const lease = await core.leases.hold(backfillLease(access.chain.id)).catch(() => null);
		const owed = await readOwed(run);
		leftAtFirst ??= owed.blocks;
		const seconds = (core.clock.nowMs() - beganMs) / 1_000;
		const done = leftAtFirst - owed.blocks;
		const rate = done > 0 && seconds > 0 ? done / seconds : null;
		return {
			chain: access.chain.slug,
			range,
			state: stateOf({ owed, isInterrupted: signal.aborted, isOurs: lease !== null, seen }),
			trouble: seen.trouble,
			blocksAll,
			blocksLeft: owed.blocks,
			blocksRefused: owed.refused,
			events: seen.events,
			blocksPerSecond: rate,
			secondsLeft: rate === null ? null : owed.blocks / rate,
		};
	};
}

/** Returns the blocks that all lanes still miss; a request without any has been fulfilled. */
async function readOwed({ core, access, ask }: BackfillRun) {
	const sum = { blocks: 0, refused: 0 };
	for (const lane of ask.lanes) {
		const request = { chainId: access.chain.id, lane, range: ask.range };
		const owed = await owedWithin(core.db, request);
		if (owed.blocks === 0) await core.db.transaction((tx) => closeRequest(tx, request));
		sum.blocks += owed.blocks;
		sum.refused += owed.refused;
	}
	return sum;
}

function stateOf(now: {
	owed: { blocks: number; refused: number };
	isInterrupted: boolean;
	isOurs: boolean;
	seen: Seen;
}): BackfillProgress["state"] {
	const { owed, seen } = now;
	if (owed.blocks === 0) return "done";
	if (now.isInterrupted) return "interrupted";
	if (owed.blocks === owed.refused) return "refused";
	if (!now.isOurs) return "watching";
	return seen.trouble === null ? "draining" : "waiting";
}

function grouped(count: number): string {
	return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}

function duration(seconds: number): string {
	const whole = Math.ceil(seconds);
	if (whole < 60) return `${whole} s`;
	if (whole < 3_600) return `${Math.ceil(whole / 60)} min`;
	return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
