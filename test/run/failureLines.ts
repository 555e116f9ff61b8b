const LINE_LENGTH_MAX = 160;

/** A line of a difference between two values, but not its totals (`- Expected  - 1`). */
const CHANGED = /^[-+] (?!Expected |Received )/;
const SAID = /^(Expected|Received)\b/;
const PLACE = /^at .*:\d+:\d+\)?$/;

/**
 * Picks at most so many lines of a failure's text that tell what happened: its first line, what was
 * expected and received (of a difference the lines that differ), and the place. Where none of these
 * is found, the lines that come first.
 */
export function failureLines(detail: string, max: number): string[] {
	const lines = Bun.stripANSI(detail)
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
	const [first, ...rest] = lines;
	if (first === undefined || max < 1) return [];
	const place = rest.find((line) => PLACE.test(line) && !line.includes("node_modules"));
	const telling = rest.filter((line) => CHANGED.test(line) || SAID.test(line));
	const others = rest.filter((line) => !PLACE.test(line));
	const between = telling.length > 0 ? telling : others;
	const placeCount = place !== undefined && max > 2 ? 1 : 0;
	const picked = [first, ...between.slice(0, max - 1 - placeCount)];
	if (place !== undefined && placeCount > 0) picked.push(place);
	return picked.map(shortened);
}

function shortened(line: string): string {
	return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 1)}…` : line;
}
