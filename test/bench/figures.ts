import type { Figure } from "#test/bench/Figure.ts";
import { agentFigures, revealFigures, socialFigures } from "#test/bench/figures/agentFigures.ts";
import { catchUpFigures, headFigures, recoveryFigures } from "#test/bench/figures/chainFigures.ts";
import {
	busyFigures,
	crowdFigures,
	marketFigures,
	sizeFigures,
	tokenFigures,
} from "#test/bench/figures/marketFigures.ts";
import {
	bridgeFigures,
	economicsFigures,
	intentFigures,
	tradeFigures,
} from "#test/bench/figures/moneyFigures.ts";
import { remoteFigures, syncFigures } from "#test/bench/figures/remoteFigures.ts";

/**
 * All figures of the bench, in its order. A new figure is a new entry in one of these lists, and a
 * new method of the lab where it needs a measurement that no other figure takes.
 *
 * The large index comes last: after filling it the disk should not be needed.
 */
export const figures: readonly Figure[] = [
	...catchUpFigures,
	...headFigures,
	...recoveryFigures,
	...crowdFigures,
	...tokenFigures,
	...revealFigures,
	...marketFigures,
	...busyFigures,
	...agentFigures,
	...intentFigures,
	...socialFigures,
	...bridgeFigures,
	...tradeFigures,
	...economicsFigures,
	...syncFigures,
	...remoteFigures,
	...sizeFigures,
];
