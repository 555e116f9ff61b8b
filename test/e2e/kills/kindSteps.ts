import {
	authorizeSteps,
	bridgeSteps,
	depositSteps,
	handOverSteps,
} from "#plugins/bridge/bridgeSteps.ts";
import { buySteps } from "#plugins/nft-buys/buySteps.ts";
import {
	purchaseSteps,
	releaseSteps,
	turnSteps,
} from "#plugins/tokenomics/buyback/buybackSteps.ts";
import { tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import { allowanceSteps } from "#plugins/wallets/allowance/allowanceKind.ts";
import { signSteps } from "#plugins/wallets/execution/stepNames.ts";

/** The outbound calls of the kinds of intents at which processes are killed here. */
export const kindSteps: readonly string[] = [
	...transferKind({ clock: { nowMs: () => 0 }, chainOf: () => null }).steps,
	...buySteps,
	...allowanceSteps,
];

/**
 * Steps of trades, bridges and buybacks, which run on other chains than `openKillWorld`'s, and
 * those of signatures, which bridges ask for. Their processes are killed at each of them in
 * `trades.test.ts` beside this file, in `killedBridges.test.ts`, `bridgeDeaths.test.ts` and
 * `signedBridges.test.ts` of `test/e2e/bridges`, in `plugins/wallets/execution/signIntent.test.ts` and in
 * `plugins/tokenomics/buyback/takeTurn.deaths.test.ts`.
 */
export const stepsEndedElsewhere: readonly string[] = [
	...signSteps,
	...tradeSteps,
	...bridgeSteps,
	...depositSteps,
	...handOverSteps,
	...authorizeSteps,
	...turnSteps,
	...purchaseSteps,
	...releaseSteps,
];
