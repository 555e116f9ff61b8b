/** The currency of a feed. Answers are in hundred-millionths of a dollar. */
export type FeedOf = "eth" | "coin";

const CENTRE: Record<FeedOf, number> = { eth: 2_500, coin: 1 };
/** How far the price deviates, as a share, and the period of that wave. */
const SWING: Record<FeedOf, number> = { eth: 0.04, coin: 0.0004 };
const TURN_S: Record<FeedOf, number> = { eth: 86_400, coin: 21_600 };

/**
 * Returns the price at a time: the same in every world and after every restart, so that nothing
 * must be stored and no other random number changes.
 */
export function usdAnswer(of: FeedOf, timeS: number): bigint {
	const turn = (2 * Math.PI * timeS) / TURN_S[of];
	const wave = (Math.sin(turn) + Math.sin(turn * 7.3) / 4) / 1.25;
	return BigInt(Math.round(CENTRE[of] * (1 + SWING[of] * wave) * 1e8));
}
