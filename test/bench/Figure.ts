import type { Lab } from "#test/bench/createLab.ts";

/** The goal of a figure; null where it is printed for comparison only. */
export type Goal = { kind: "at_least"; value: number } | { kind: "at_most"; value: number } | null;

export type Reading = {
	value: number;
	/** The reference's value, measured in the same run. */
	reference?: { value: number; of: string };
	/** What a reader must know to judge the value: spread, counts, how it was measured. */
	note?: string;
};

/**
 * One line of the bench. `measure` asks the lab, which measures each thing once for all figures.
 */
export type Figure = {
	name: string;
	unit: string;
	goal: Goal;
	/**
	 * True where it takes minutes of its own: measured by `--full`, and by `--only` with its name.
	 */
	isByName?: boolean;
	measure(lab: Lab): Promise<Reading>;
};

export type Result = Reading & Pick<Figure, "name" | "unit" | "goal"> & { ok: boolean };
