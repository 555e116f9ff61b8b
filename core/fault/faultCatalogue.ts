import type { FaultRetry } from "#core/fault/Fault.ts";

/** One kind of Fault as its definition states it. Several may share a code. */
export type FaultEntry = {
	code: string;
	status: number;
	retry: FaultRetry;
	/** What it means, as a sentence. */
	meaning: string;
	/** What the caller does about it; undefined where status and `retry` say it. */
	advice: string | undefined;
};

const entries: FaultEntry[] = [];

/**
 * Every kind of Fault that a loaded module defines, for the pages that explain their codes.
 * `defineFaults` fills it, so a code cannot be missing there.
 */
export const faultCatalogue = {
	add: (entry: FaultEntry): void => void entries.push(entry),
	all: (): readonly FaultEntry[] => entries,
};
