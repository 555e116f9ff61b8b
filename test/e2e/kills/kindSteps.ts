import { buySteps } from "#plugins/nft-buys/buySteps.ts";
import { tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import { allowanceSteps } from "#plugins/wallets/allowance/allowanceKind.ts";

/** The outbound calls of kinds of intent at which processes are killed here. */
export const kindSteps: readonly string[] = [
	...transferKind({ clock: { nowMs: () => 0 }, chainOf: () => null }).steps,
	...buySteps,
	...allowanceSteps,
];

/** Those of trades, whose chain is another: `trades.test.ts` kills at them. */
export const stepsEndedElsewhere: readonly string[] = tradeSteps;
