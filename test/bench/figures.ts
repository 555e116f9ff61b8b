import type { Figure } from "#test/bench/Figure.ts";
import { agentFigures } from "#test/bench/figures/agentFigures.ts";
import { bridgeFigures } from "#test/bench/figures/bridgeFigures.ts";
import { busyFigures } from "#test/bench/figures/busyFigures.ts";
import { catchUpFigures } from "#test/bench/figures/catchUpFigures.ts";
import { crowdFigures } from "#test/bench/figures/crowdFigures.ts";
import { economicsFigures } from "#test/bench/figures/economicsFigures.ts";
import { headFigures } from "#test/bench/figures/headFigures.ts";
import { intentFigures } from "#test/bench/figures/intentFigures.ts";
import { marketFigures } from "#test/bench/figures/marketFigures.ts";
import { recoveryFigures } from "#test/bench/figures/recoveryFigures.ts";
import { remoteFigures } from "#test/bench/figures/remoteFigures.ts";
import { revealFigures } from "#test/bench/figures/revealFigures.ts";
import { sizeFigures } from "#test/bench/figures/sizeFigures.ts";
import { socialFigures } from "#test/bench/figures/socialFigures.ts";
import { syncFigures } from "#test/bench/figures/syncFigures.ts";
import { tokenFigures } from "#test/bench/figures/tokenFigures.ts";
import { tradeFigures } from "#test/bench/figures/tradeFigures.ts";

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
