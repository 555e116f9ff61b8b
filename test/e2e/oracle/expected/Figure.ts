import type { Fact } from "#test/e2e/oracle/Known.ts";

/** What a figure must be: a number, or null for one of these reasons. */
export type Figure = {
	unit: "ETH" | "percent" | "count";
	window: string | null;
	value: number | null;
	/** Of an amount, the exact integer. */
	raw: bigint | null;
	/** True where it is zero and the newest minute that was looked at is no longer in the window. */
	mayBeNull: boolean;
	/** Why it may be null. */
	reasons: readonly string[];
	sources: readonly (string | null)[];
	/** Of what was counted: in what time, of what, and which share of it has a price. */
	span: Span | null;
	/** Share of a whole that no time measures: minted units of a supply. */
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

/** A figure of which nothing is known. */
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
