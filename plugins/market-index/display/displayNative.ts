import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";

const WEI_DECIMALS = 18;

/** Returns a stored amount of wei as the number that clients see; unknown stays unknown. */
export function displayNative(wei: string | null): number | null {
	return wei === null ? null : toDisplayNumber(BigInt(wei), WEI_DECIMALS);
}
