import { LRUCache } from "lru-cache";
import { lengthOf, lineOf } from "#agent/contract.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { SECOND_MS } from "#core/time/units.ts";

/**
 * Returns a text that was not said in public lately: as it is, or with the time at its end. The
 * same reply gets the same text, until X refused that.
 */
export type Unlike = (text: string, reply: { id: string; isRefused: boolean }) => string;

/** Texts that are remembered; an hour of answers, about. */
const TEXTS_MAX = 5_000;

/** When a text was said last, and how often in that second. */
type Said = { second: number; twin: number };

/**
 * Makes what keeps answers apart: X refuses a text that the account posted not long ago, also as an
 * answer to somebody else. The same `help` for two people differs by the time of day (UTC).
 *
 * It remembers what this process said. What another one said, X refuses once; then it is known.
 */
export function createUnlike({
	clock,
	lengthMax,
}: {
	clock: Clock;
	/** Of any reply, in code points and as X counts. */
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
