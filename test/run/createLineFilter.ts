/**
 * Decides what of `bun test` reaches the screen: one line a file and everything about a failure,
 * and
 * not the blank lines and totals between.
 */
export function createLineFilter(print: (line: string) => void): (line: string) => void {
	let blank = false;
	let inTotals = false;
	return (line) => {
		const bare = Bun.stripANSI(line).trimEnd();
		// At its end bun names every failure again; so does our own summary.
		inTotals ||= /^\d+ tests? (failed|skipped):$/.test(bare);
		if (inTotals && /^\((fail|skip|todo)\) /.test(bare)) return;
		if (NOISE.some((pattern) => pattern.test(bare))) return;
		// Blank lines separate the parts of a failure; between files they only scroll.
		if (bare === "") {
			blank = true;
			return;
		}
		const isHeader = /^\S+\.test\.tsx?:$/.test(bare);
		if (blank && !isHeader) print("");
		blank = false;
		print(isHeader ? `  ${bare.slice(0, -1)}` : line);
	};
}

const NOISE = [
	/^bun test v/,
	/^\((pass|skip|todo)\) /,
	/^\s*\d+ (pass|fail|skip|todo|error|errors|expect\(\) calls)$/,
	/^Ran \d+ tests? across /,
	/^\d+ tests? (failed|skipped):$/,
	/^SKIP-REASON /,
];
