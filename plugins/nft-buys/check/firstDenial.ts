import type { Denial } from "#plugins/wallets/contract.ts";

/** A condition that must hold, and what is said where it does not. */
export type Check = readonly [holds: boolean, code: string, detail: string];

/** The first check that fails, as a denial; null where all hold. */
export function firstDenial(checks: readonly Check[]): Denial | null {
	const failed = checks.find(([holds]) => !holds);
	return failed ? { code: failed[1], detail: failed[2] } : null;
}
