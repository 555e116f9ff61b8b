/** A collection's state: not checked yet, all tokens alike, or each with its own content. */
export type RevealState = "unknown" | "placeholder" | "revealed";

/**
 * What can happen to it. `looks_hidden`: the sampled tokens are alike. `looks_shown`: they differ
 * by their traits. `covered`: every token was read again, and they differ.
 */
export type RevealEvent = "looks_hidden" | "looks_shown" | "covered";

/**
 * The whole state machine: state, event, next. A missing entry is refused.
 *
 * Only reading all tokens moves `placeholder` to `revealed`: ranks of a part would be wrong, and
 * plans buy by them. A collection that was never seen hidden has nothing to wait for. One that
 * hides again, or whose reveal left the chain, becomes a placeholder again.
 */
export const revealMoves: Readonly<
	Record<RevealState, Readonly<Partial<Record<RevealEvent, RevealState>>>>
> = {
	unknown: { looks_hidden: "placeholder", looks_shown: "revealed", covered: "revealed" },
	placeholder: { covered: "revealed" },
	revealed: { looks_hidden: "placeholder" },
};

/** Returns the state after an event; null where the event does not move it. */
export function nextRevealState(state: RevealState, event: RevealEvent): RevealState | null {
	return revealMoves[state][event] ?? null;
}
