import { MINUTE_MS } from "#core/time/units.ts";

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads the moment that an RFC 3339 timestamp names; null: it is none.
 *
 * `Date.parse` alone takes the 30th of February for the 2nd of March. Leap seconds and the lower
 * case `t` and `z` are refused: no wallet writes them.
 */
export function readTimestamp(text: string): number | null {
	const match = TIMESTAMP.exec(text);
	if (!match) return null;
	const [, local = "", fraction = "", sign, hours = "0", minutes = "0"] = match;
	const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
	const localMs = Date.parse(`${local}.${milliseconds}Z`);
	if (Number.isNaN(localMs)) return null;
	if (new Date(localMs).toISOString().slice(0, local.length) !== local) return null;
	if (Number(hours) > 23 || Number(minutes) > 59) return null;
	const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
	return sign === "-" ? localMs + offsetMs : localMs - offsetMs;
}
