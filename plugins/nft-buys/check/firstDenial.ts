import type { Denial } from "#plugins/wallets/contract.ts";

/** A condition that must be true, with the code and text of its denial. */
export type Check = readonly [holds: boolean, code: string, detail: string];

/** Returns the denial of the first failed check; null where none failed. */
export function firstDenial(checks: readonly Check[]): Denial | null {
	const failed = checks.find(([holds]) => !holds);
	return failed ? { code: failed[1], detail: failed[2] } : null;
}
