import { readable } from "#core/outside/readable.ts";
import { withoutHidden } from "#core/outside/withoutHidden.ts";

/**
 * Returns a stranger's text in the lines that it came in, at most one of them empty in a row; null
 * where it is no text or nothing readable is left. The rules of `cleanLine` hold for each line.
 */
export function cleanProse(value: unknown, { lengthMax }: { lengthMax: number }): string | null {
	if (typeof value !== "string") return null;
	const text = value
		.slice(0, lengthMax * 4)
		.toWellFormed()
		.normalize("NFC");
	const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(withoutHidden);
	return readable(
		lines
			.join("\n")
			.replace(/\n{3,}/g, "\n\n")
			.trim(),
		lengthMax,
	);
}
