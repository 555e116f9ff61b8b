import { buySteps } from "#plugins/nft-buys/buySteps.ts";
import {
	purchaseSteps,
	releaseSteps,
	turnSteps,
} from "#plugins/tokenomics/buyback/buybackSteps.ts";
import { tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import { allowanceSteps } from "#plugins/wallets/allowance/allowanceKind.ts";

/** The outbound calls of kinds of intent at which processes are killed here. */
export const kindSteps: readonly string[] = [
	...transferKind({ clock: { nowMs: () => 0 }, chainOf: () => null }).steps,
	...buySteps,
	...allowanceSteps,
];

/**
 * Those of trades and of buybacks, whose chain is not the one of `openKillWorld`: their processes
 * end at each of them in `plugins/trading/routes/tradeRoutes.deaths.test.ts` and in
 * `plugins/tokenomics/buyback/takeTurn.deaths.test.ts`.
 */
export const stepsEndedElsewhere: readonly string[] = [
	...[...tradeSteps, ...turnSteps, ...purchaseSteps, ...releaseSteps],
];
