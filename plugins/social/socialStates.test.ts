import { expect, test } from "bun:test";
import {
	EVENT_STATES,
	eventMoves,
	REPLY_STATES,
	replyMoves,
} from "#plugins/social/socialStates.ts";

test("every state is final or has a next one, and an uncertain reply is never sent again", () => {
	const ends = (moves: Record<string, object>) =>
		Object.keys(moves).filter((state) => Object.keys(moves[state] ?? {}).length === 0);
	expect(ends(eventMoves)).toEqual(["answered", "ignored", "dropped"]);
	expect(ends(replyMoves)).toEqual(["sent", "refused", "unanswered"]);
	expect(Object.keys(eventMoves)).toEqual([...EVENT_STATES]);
	expect(Object.keys(replyMoves)).toEqual([...REPLY_STATES]);
	expect(Object.values(replyMoves.uncertain)).not.toContain("ready");
	expect(Object.values(replyMoves.uncertain)).not.toContain("sending");
});
