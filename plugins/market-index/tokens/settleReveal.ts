import type { Core } from "#core/plugin/Core.ts";
import { moveReveal } from "#plugins/market-index/reveal/moveReveal.ts";
import { type RevealReading, readingOf } from "#plugins/market-index/reveal/readingOf.ts";
import type { RevealEvent, RevealState } from "#plugins/market-index/reveal/revealState.ts";
import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";
import { revealSample } from "#plugins/market-index/tokens/sql/reveals.ts";
import type { TokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";

/**
 * Moves a collection's reveal state by what is stored of its tokens, and returns the state. This is
 * for collections that are not watched: their tokens are read when they are minted, and again after
 * a message that they changed.
 */
export async function settleReveal(
	{ db, clock, log }: Pick<Core, "db" | "clock" | "log">,
	state: TokenState,
): Promise<RevealState> {
	const reading = readingOf(await revealSample(db, state.id));
	const event = eventOf(state, reading);
	if (event === null) return state.revealState;
	const at = new Date(clock.nowMs());
	const collectionId = state.id;
	const moved = await db.transaction((tx) => moveReveal(tx, { collectionId, event, at }));
	if (moved) log.info("a collection's reveal state moved", { contract: state.address, ...moved });
	return moved?.to ?? state.revealState;
}

function eventOf(state: TokenState, reading: RevealReading): RevealEvent | null {
	if (reading === "hidden") return state.revealState === "placeholder" ? null : "looks_hidden";
	if (reading !== "shown" || state.revealState === "revealed") return null;
	if (state.revealState === "unknown") return "looks_shown";
	// While many are still hidden, a rank would be among the revealed ones only.
	const all = state.supply ?? String(state.tokens);
	return state.untried === 0 && coversSupply(state.shown, all) ? "covered" : null;
}
