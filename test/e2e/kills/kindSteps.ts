import { buySteps } from "#plugins/nft-buys/buySteps.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import { allowanceSteps } from "#plugins/wallets/allowance/allowanceKind.ts";

/** The outbound calls of every kind of intent that ships. */
export const kindSteps: readonly string[] = [
	...transferKind({ clock: { nowMs: () => 0 }, chainOf: () => null }).steps,
	...buySteps,
	...allowanceSteps,
];
