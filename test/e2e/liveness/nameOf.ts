import type { Player } from "#test/e2e/liveness/LiveRound.ts";

/** Returns a player's name in a report: what is false about its wallet. */
export function nameOf(player: Pick<Player, "own"> | undefined): string {
	return player?.own.map(({ name }) => name).join(" + ") || "a wallet that is told the truth";
}
