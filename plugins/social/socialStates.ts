// Lists the states of events and replies, and the moves between them.

import { movesBy, type StateTable } from "#core/states.ts";

/**
 * `received`: stored. `thinking`: a process works on it. Final states: `answered`, its replies are
 * stored; `ignored`, it is not for the bot; `dropped`, it is given up.
 */
export const EVENT_STATES = ["received", "thinking", "answered", "ignored", "dropped"] as const;
export type EventState = (typeof EVENT_STATES)[number];
type EventMove = "take" | "wait" | "answer" | "drop";

/** The transitions of an event: by state and move, the next state. */
export const eventMoves: StateTable<EventState, EventMove> = {
	// Any process takes it; by then it may be too old.
	received: { take: "thinking", drop: "dropped" },
	// After `held_until` another process takes it. The idempotency key prevents a double execution.
	thinking: { take: "thinking", wait: "thinking", answer: "answered", drop: "dropped" },
	answered: {},
	ignored: {},
	dropped: {},
};

/**
 * `held`: private, and its author never wrote to the bot. `ready`: waits for sending. `sending`: X
 * is being called. `uncertain`: X may have it. Final states: `sent`; `refused`, by X; `unanswered`,
 * with the reason.
 */
export const REPLY_STATES = [
	"held",
	"ready",
	"sending",
	"uncertain",
	"sent",
	"refused",
	"unanswered",
] as const;
export type ReplyState = (typeof REPLY_STATES)[number];
export type ReplyMove =
	| "release"
	| "send"
	| "postpone"
	| "deliver"
	| "refuse"
	| "doubt"
	| "look"
	| "give_up";

/** The transitions of a reply. None leads from `uncertain` to `ready`: it is never sent twice. */
export const replyMoves: StateTable<ReplyState, ReplyMove> = {
	// Until the author sends `link` by direct message, or ten minutes have passed.
	held: { release: "ready", give_up: "unanswered" },
	ready: { send: "sending", give_up: "unanswered" },
	// `postpone`: X refused for now, before it did anything; or the process died before X was called. `doubt`: no clear answer, or the process
	// died.
	sending: { deliver: "sent", refuse: "refused", postpone: "ready", doubt: "uncertain" },
	uncertain: { deliver: "sent", look: "uncertain", give_up: "unanswered" },
	sent: {},
	refused: {},
	unanswered: {},
};

/**
 * Names the states of a followed order. `open`: its end is waited for. Final: `told` (reported to
 * its author), `closed` (no report is sent any more).
 */
export type OrderState = "open" | "told" | "closed";
export type OrderMove = "tell" | "close";

/** The transitions of an order that is followed. */
export const orderMoves: StateTable<OrderState, OrderMove> = {
	// Its answer said the end, or a notice does. `close`: its author is linked to it no more.
	open: { tell: "told", close: "closed" },
	told: {},
	closed: {},
};

/** Returns the event states that allow a move. */
export function eventsBefore(move: EventMove): readonly EventState[] {
	return movesBy(eventMoves, move).map(({ from }) => from);
}

/** Returns the reply states that allow a move. */
export function repliesBefore(move: ReplyMove): readonly ReplyState[] {
	return movesBy(replyMoves, move).map(({ from }) => from);
}
