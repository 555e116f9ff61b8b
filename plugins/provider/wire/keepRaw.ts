import { RAW_DEPTH_MAX } from "#plugins/provider/limits.ts";

type Kept = Readonly<Record<string, unknown>>;
type Options = { bytesMax: number; textLengthMax: number };

/**
 * Returns a row as it was sent, fit to be stored and passed on: without the characters that break a
 * database or a terminal, at most sixteen levels deep and `bytesMax` long. In a longer one the
 * texts are shortened first. Null where even that is too long; nothing else is ever changed.
 */
export function keepRaw(
	value: Readonly<Record<string, unknown>>,
	options: { bytesMax: number; mayShorten: boolean },
): Kept | null {
	const { bytesMax, mayShorten } = options;
	const whole = keep(value, { bytesMax, textLengthMax: Number.POSITIVE_INFINITY });
	if (whole || !mayShorten) return whole;
	return keep(value, { bytesMax, textLengthMax: 256 });
}

function keep(
	value: Readonly<Record<string, unknown>>,
	{ bytesMax, textLengthMax }: Options,
): Kept | null {
	/** Counted on the way, so that a row of 8 MB is not copied only to be refused. */
	let left = bytesMax;
	const kept = record(value, 1);
	return left >= 0 && Buffer.byteLength(JSON.stringify(kept)) <= bytesMax ? kept : null;

	function record(from: object, depth: number): Record<string, unknown> {
		const entries: [string, unknown][] = [];
		for (const [key, member] of Object.entries(from)) {
			if (left < 0) break;
			if (key === "__proto__") continue;
			entries.push([text(key), copy(member, depth + 1)]);
		}
		return Object.fromEntries(entries);
	}

	function copy(from: unknown, depth: number): unknown {
		left -= 1;
		if (left < 0) return null;
		if (typeof from === "string") return text(from);
		if (typeof from !== "object" || from === null) return from;
		if (depth > RAW_DEPTH_MAX) return null;
		if (!Array.isArray(from)) return record(from, depth);
		const list: unknown[] = [];
		for (const item of from) {
			if (left < 0) break;
			list.push(copy(item, depth + 1));
		}
		return list;
	}

	function text(from: string): string {
		left -= Math.min(from.length, textLengthMax);
		return left < 0 ? "" : withoutControls(from.slice(0, textLengthMax));
	}
}

const CONTROLS = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function withoutControls(text: string): string {
	return text.toWellFormed().replace(CONTROLS, "");
}
