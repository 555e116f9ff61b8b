// Decides how fast backfill works beside a live head, and what is too old to be read.

import { type Lease, requireLease } from "#core/lease.ts";
import { sleep } from "#core/time.ts";
import type { BackfillOptions } from "#plugins/chain-scanner/lane/model.ts";
import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	REST_MS_MAX,
	REST_SHARE,
	ROWS_PER_CALM_MS,
	ROWS_PER_WRITE_MAX,
} from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { findOldOwed, giveUpGaps } from "#plugins/chain-scanner/sql/gap.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/** How backfill works at present. */
export type BackfillPace = {
	/**
	 * `calm`: no block is likely to need node, database and processor soon, so all of them are used.
	 * `gentle`: small parts with rests between them, one after the other.
	 */
	kind: "calm" | "gentle";
	/** Rows in one transaction, which cannot be interrupted once it holds the chain's lock. */
	rowsMax: number;
};

export type GiveUpOptions = Pick<
	BackfillOptions,
	"chainId" | "db" | "log" | "lagBlocksMax" | "onGivenUp"
> & { source: Pick<LaneSource, "kind"> };

/**
 * Gives up blocks that are further below the index's newest block than backfill goes, and logs
 * which. A lane's own head is not used: a node that announces a block of the far future must not
 * make us forget what we owe.
 *
 * The transfer lane's owed blocks are never given up: owners are right only if no move is left out.
 */
export async function giveUpOld(options: GiveUpOptions, lease: Lease): Promise<void> {
	const { chainId, db, log, lagBlocksMax, onGivenUp, source } = options;
	const lane = source.kind;
	if (lagBlocksMax === undefined || lane === "transfer") return;
	const below = await findOldOwed(db, { chainId, lane, lagBlocksMax });
	if (below === null) return;
	const gone = await db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		return giveUpGaps(tx, { chainId, lane, below });
	});
	for (const { from, to, reason } of gone) {
		const advice = `svc backfill --from ${from} --to ${to} reads them all the same`;
		log.warn("blocks are too old to be read; given up", { lane, from, to, reason, advice });
		onGivenUp?.({ lane, blocks: to - from + 1 });
	}
}

/**
 * Returns a function that less urgent work calls between small parts, beside a live head. It waits
 * until the head's lanes are done, and leaves node, database and processor some time for others. It
 * does not wait where no block is likely to come soon, or no lane follows the head.
 */
export function restBeside(gate: HeadGate | undefined, signal: AbortSignal): () => Promise<void> {
	let sinceMs = performance.now();
	return async () => {
		const workedMs = performance.now() - sinceMs;
		if (gate && backfillPace(gate).kind === "gentle") {
			await sleep(Math.min(workedMs * REST_SHARE, REST_MS_MAX), signal);
			await gate.idle(REST_MS_MAX);
		}
		sinceMs = performance.now();
	};
}

/** Decides by the chain's present head; calm where no lane follows it (no gate). */
export function backfillPace(gate: Pick<HeadGate, "calmForMs"> | undefined): BackfillPace {
	const calmMs = gate ? gate.calmForMs() : Number.POSITIVE_INFINITY;
	if (calmMs < CALM_MS_MIN) return { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX };
	return { kind: "calm", rowsMax: Math.min(calmMs * ROWS_PER_CALM_MS, ROWS_PER_WRITE_MAX) };
}
