/**
 * `received`: stored. `thinking`: a process works on it. The others are ends: `answered`, its
 * replies are stored; `ignored`, it is not for the bot; `dropped`, it is not done any more.
 */
export const EVENT_STATES = ["received", "thinking", "answered", "ignored", "dropped"] as const;
export type EventState = (typeof EVENT_STATES)[number];
export type EventMove = "take" | "wait" | "answer" | "drop";

/** Every move of an event. What leaves a state is what stands in its row here. */
export const eventMoves: Readonly<
	Record<EventState, Readonly<Partial<Record<EventMove, EventState>>>>
> = {
	// The loop of any process takes it; by then it may be too old.
	received: { take: "thinking", drop: "dropped" },
	// Once `held_until` is over, another process takes it. The same key does nothing twice.
	thinking: { take: "thinking", wait: "thinking", answer: "answered", drop: "dropped" },
	answered: {},
	ignored: {},
	dropped: {},
};

/**
 * `held`: private, and its author never wrote to the bot. `ready`: to be sent. `sending`: X is
 * being told. `uncertain`: X may have it. The others are ends: `sent`; `refused`, by X;
 * `unanswered`, with the reason.
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

/** Every move of a reply. Nothing leads from `uncertain` to `ready`: it is never sent twice. */
export const replyMoves: Readonly<
	Record<ReplyState, Readonly<Partial<Record<ReplyMove, ReplyState>>>>
> = {
	// Its author sends `link` by direct message; or ten minutes are over.
	held: { release: "ready", give_up: "unanswered" },
	ready: { send: "sending", give_up: "unanswered" },
	// `postpone`: X said, before it did anything, that it will not now. `doubt`: no answer that says
	// so, or the process died.
	sending: { deliver: "sent", refuse: "refused", postpone: "ready", doubt: "uncertain" },
	uncertain: { deliver: "sent", look: "uncertain", give_up: "unanswered" },
	sent: {},
	refused: {},
	unanswered: {},
};

/** States of an event from which a move leads somewhere. */
export function eventsBefore(move: EventMove): readonly EventState[] {
	return EVENT_STATES.filter((state) => eventMoves[state][move] !== undefined);
}

/** States of a reply from which a move leads somewhere. */
export function repliesBefore(move: ReplyMove): readonly ReplyState[] {
	return REPLY_STATES.filter((state) => replyMoves[state][move] !== undefined);
}
