import type { Fact } from "#test/e2e/oracle/Known.ts";

/** What a figure must be: a number, or null for one of these reasons. */
export type Figure = {
	unit: "ETH" | "percent" | "count";
	window: string | null;
	value: number | null;
	/** The exact integer of an amount. */
	raw: bigint | null;
	/** True: it is zero and the newest minute that was read is no longer in the window. */
	mayBeNull: boolean;
	/** Why it may be null. */
	reasons: readonly string[];
	sources: readonly (string | null)[];
	/** For counted figures: the time, the events counted, and those of them with a price. */
	span: Span | null;
	/** Share of a whole that is not measured in time: minted units of a supply. */
	share: number | null;
	/** When its source told it; null where that is not checked. */
	toldAt: readonly number[] | null;
};

export type Span = {
	startMs: number;
	endMs: number;
	known: readonly Fact[];
	truth: readonly Fact[];
	priced: number;
	lanesFromMs: number | null;
};

/** A figure that is not known. */
export const UNKNOWN: Omit<Figure, "unit" | "reasons"> = {
	window: null,
	mayBeNull: false,
	value: null,
	raw: null,
	sources: [],
	span: null,
	share: null,
	toldAt: null,
};
