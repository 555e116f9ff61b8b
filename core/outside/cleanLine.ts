import { readable } from "#core/outside/readable.ts";
import { withoutHidden } from "#core/outside/withoutHidden.ts";

/** Nearly every name there is: nothing in it has to be looked at by the rules below. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

/**
 * Returns a stranger's text as one line, fit to be stored and shown; null where it is no text or
 * nothing readable is left.
 *
 * Anybody may name a token or a collection: what reverses text, hides it or breaks the database
 * goes. Markup is text like any other, which whoever shows it escapes.
 */
export function cleanLine(value: unknown, { lengthMax }: { lengthMax: number }): string | null {
	if (typeof value !== "string") return null;
	if (value.length <= lengthMax && PLAIN.test(value)) return value;
	// Cut before the work as well: composing may shorten, but never to a quarter.
	const text = value
		.slice(0, lengthMax * 4)
		.toWellFormed()
		.normalize("NFC");
	return readable(withoutHidden(text), lengthMax);
}
