import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	ROWS_PER_CALM_MS,
	ROWS_PER_WRITE_MAX,
} from "#plugins/chain-scanner/limits.ts";
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

/** Decides by the chain's present head; calm where no lane follows it (no gate). */
export function backfillPace(gate: Pick<HeadGate, "calmForMs"> | undefined): BackfillPace {
	const calmMs = gate ? gate.calmForMs() : Number.POSITIVE_INFINITY;
	if (calmMs < CALM_MS_MIN) return { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX };
	return { kind: "calm", rowsMax: Math.min(calmMs * ROWS_PER_CALM_MS, ROWS_PER_WRITE_MAX) };
}
