import { LRUCache } from "lru-cache";
import { lengthOf, lineOf } from "#agent/contract.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { SECOND_MS } from "#core/time/units.ts";

/**
 * Returns a text that the bot did not post recently: unchanged, or with the time at its end. The
 * same reply gets the same text, until X refuses it.
 */
export type Unlike = (text: string, reply: { id: string; isRefused: boolean }) => string;

/** How many texts are remembered; about an hour of replies. */
const TEXTS_MAX = 5_000;

/** When a text was last posted, and how often in that second. */
type Said = { second: number; twin: number };

/**
 * Makes the function that keeps posts different: X refuses a text that the account posted recently,
 * even as a reply to another account. The same `help` for two people differs by the time of day
 * (UTC).
 *
 * It remembers this process's texts. A duplicate of another process is refused once; then it is
 * known.
 */
export function createUnlike({
	clock,
	lengthMax,
}: {
	clock: Clock;
	/** The longest reply, in code points and as X counts. */
	lengthMax: number;
}): Unlike {
	const said = new LRUCache<string, Said>({ max: TEXTS_MAX });
	const given = new LRUCache<string, string>({ max: TEXTS_MAX });
	return (text, { id, isRefused }) => {
		const before = given.get(id);
		if (before !== undefined && !isRefused) return before;
		const second = Math.floor(clock.nowMs() / SECOND_MS);
		const last = said.get(text);
		const twin = last?.second === second ? last.twin + 1 : 1;
		const one = last === undefined ? text : withTime(text, twin);
		said.set(text, { second, twin: last === undefined ? 0 : twin });
		given.set(id, one);
		return one;
	};

	function withTime(text: string, twin: number): string {
		const time = new Date(clock.nowMs()).toISOString().slice(11, 19);
		const tail = ` · ${time} UTC${twin === 1 ? "" : ` (${twin})`}`;
		const most = lengthMax - lengthOf(tail).weighted;
		if (lengthOf(text).weighted <= most) return `${text}${tail}`;
		return `${lineOf(text, { lengthMax: most, asOfMs: null, nowMs: 0 })}${tail}`;
	}
}
