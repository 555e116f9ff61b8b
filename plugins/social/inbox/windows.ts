// Shares what X allows in a window among authors, and keeps a part of it for links and money.

import type { Clock } from "#core/clock.ts";
import { AUTHOR_SHARE, SENDS_PER_WINDOW, URGENT_SHARE, WINDOW_MS } from "#plugins/social/limits.ts";
import type { SocialReply } from "#plugins/social/sql/replies.ts";
import type { XWindow } from "#plugins/social/x/callX.ts";

/** How much may be sent now. */
export type Room = {
	/** Of links and money, and of everything else. */
	urgent: number;
	plain: number;
	/** What one author may get of the window; null: X has not said that it limits anything. */
	share: { since: Date; urgent: number; plain: number } | null;
};

export type Windows = {
	room(via: SocialReply["via"]): Room;
	/** Counts what is taken for sending, before X is called. */
	take(via: SocialReply["via"], count: number): void;
	/** Records X's answer to one of them; `isLimited`: X refused it by its limit. */
	answered(via: SocialReply["via"], told: XWindow | null, isLimited: boolean): void;
};

type Known = XWindow & { startMs: number };
type State = { known: Known | null; isAnswered: boolean; underWay: number };

/**
 * Keeps what X says of its limits, with each answer to a post or message. Until its first answer
 * one reply is sent at a time: a queue that began with one author's forty messages would use up the
 * window before anybody knew of it.
 */
export function createWindows(clock: Clock): Windows {
	const of = (): State => ({ known: null, isAnswered: false, underWay: 0 });
	const states = { post: of(), dm: of() };

	/** Returns the window of now: where the last one ended, a whole new one. */
	function windowOf(state: State): Known | null {
		const { known } = state;
		const nowMs = clock.nowMs();
		if (known === null || known.endsMs > nowMs) return known;
		state.known = { ...known, left: known.max, startMs: nowMs, endsMs: nowMs + WINDOW_MS };
		return state.known;
	}

	return {
		room(via) {
			const state = states[via];
			const window = windowOf(state);
			if (window === null) {
				const most = state.isAnswered ? Number.MAX_SAFE_INTEGER : 1 - state.underWay;
				return { urgent: most, plain: most, share: null };
			}
			const { max, left, startMs } = window;
			const kept = Math.ceil(max * URGENT_SHARE);
			return {
				urgent: left,
				plain: left - kept,
				share: {
					since: new Date(startMs),
					urgent: Math.max(1, Math.floor(max / 2)),
					plain: Math.max(1, Math.floor(max * AUTHOR_SHARE)),
				},
			};
		},
		take(via, count) {
			const state = states[via];
			state.underWay += count;
			if (state.known !== null) state.known.left = Math.max(0, state.known.left - count);
		},
		answered(via, told, isLimited) {
			const state = states[via];
			state.isAnswered = true;
			state.underWay = Math.max(0, state.underWay - 1);
			const nowMs = clock.nowMs();
			const endsMs = nowMs + WINDOW_MS;
			const silent = isLimited ? { max: SENDS_PER_WINDOW[via], left: 0, endsMs } : null;
			const next = told ?? (state.known === null ? silent : null);
			if (next === null) return;
			const isSame = state.known !== null && Math.abs(state.known.endsMs - next.endsMs) < 2_000;
			const before = isSame ? state.known : null;
			// Answers arrive in any order, and some are under way: what is left only falls.
			const left = Math.min(next.left, before?.left ?? next.left - state.underWay);
			const startMs = before?.startMs ?? Math.min(nowMs, next.endsMs - WINDOW_MS);
			state.known = { ...next, left: isLimited ? 0 : Math.max(0, left), startMs };
		},
	};
}
