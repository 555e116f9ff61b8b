import type { Lab } from "#test/bench/createLab.ts";

/** What a figure has to reach; null where it is printed for comparison only. */
export type Goal = { kind: "at_least"; value: number } | { kind: "at_most"; value: number } | null;

export type Reading = {
	value: number;
	/** The same of what the value is compared with, measured in the same run. */
	reference?: { value: number; of: string };
	/** What a reader has to know to judge the value: spread, counts, how it was taken. */
	note?: string;
};

/** One line of the bench. `measure` asks the lab, which measures each thing once for all. */
export type Figure = {
	name: string;
	unit: string;
	goal: Goal;
	/** True where it takes minutes of its own: `--full` measures it, and `--only` with its name. */
	isByName?: boolean;
	measure(lab: Lab): Promise<Reading>;
};

export type Result = Reading & Pick<Figure, "name" | "unit" | "goal"> & { ok: boolean };
