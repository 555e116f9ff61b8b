import { Fault } from "#core/fault/Fault.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import { readDetail } from "#plugins/market-index/sync/parts/readDetail.ts";
import { readListings } from "#plugins/market-index/sync/parts/readListings.ts";
import { readStats } from "#plugins/market-index/sync/parts/readStats.ts";

export type PartsRead =
	| { kind: "stranger" | "taken" }
	/** `failures`: why parts did not arrive; those that did are stored. */
	| { kind: "known"; failures: unknown[] };

const FIGURES = [
	["stats", readStats],
	["listings", readListings],
] as const;

/**
 * Reads the missing parts of a full sync, and stores each as it arrives. A failing part does not
 * stop the others; a limit, or a stop of the worker, ends the sync.
 */
export async function readParts(reading: PartReading): Promise<PartsRead> {
	const failures: unknown[] = [];
	if (!reading.parts.detail) {
		const detail = await readDetail(reading);
		if (detail === null) return { kind: "stranger" };
		if (detail === "taken") return { kind: "taken" };
		reading.parts = detail;
	}
	for (const [name, read] of FIGURES) {
		if (reading.parts[name]) continue;
		try {
			const parts = await read(reading);
			if (parts === "taken") return { kind: "taken" };
			reading.parts = parts;
		} catch (error) {
			const isLimit = error instanceof Fault && error.code === "rate_limited";
			if (reading.signal.aborted || isLimit) throw error;
			failures.push(error);
		}
	}
	return { kind: "known", failures };
}
