import type { Player } from "#test/e2e/liveness/LiveRound.ts";

/** What a player is called in a report: by what is false of its wallet. */
export function nameOf(player: Pick<Player, "own"> | undefined): string {
	return player?.own.map(({ name }) => name).join(" + ") || "a wallet that is told the truth";
}
