import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Problem, Rule } from "#test/tidy/Rule.ts";
import type { SourceFile } from "#test/tidy/SourceFile.ts";

/**
 * No circles of value imports between files. In core and inside each plugin also none between
 * folders, and there types count too: folders depend one way.
 */
export const importCycles: Rule = {
	name: "import-cycles",
	why: "in a circle nothing comes first: not for the reader, and not for the module loader",
	check: (files) => [
		...cyclesOf(graphOf(files, { nodeOf: (path) => path, types: false })),
		...cyclesOf(graphOf(files, { nodeOf: folderOf, types: true })),
	],
	bad: [
		[
			{ path: "core/a/x.ts", text: 'import { y } from "#core/a/y.ts";' },
			{ path: "core/a/y.ts", text: 'import { z } from "./z.ts";' },
			{ path: "core/a/z.ts", text: 'import { x } from "#core/a/x.ts";' },
		],
		[
			{ path: "core/a/x.ts", text: 'import type { Y } from "#core/b/y.ts";' },
			{ path: "core/b/z.ts", text: 'import type { X } from "#core/a/x.ts";' },
		],
		[
			{ path: "plugins/p/a/x.ts", text: 'import type { Y } from "#plugins/p/b/y.ts";' },
			{ path: "plugins/p/b/c/z.ts", text: 'import type { X } from "#plugins/p/a/x.ts";' },
		],
	],
	good: [
		[
			{ path: "core/a/x.ts", text: 'import type { Y } from "#core/a/y.ts";' },
			{ path: "core/a/y.ts", text: 'import { x } from "#core/a/x.ts";' },
		],
		[
			{ path: "core/a/x.test.ts", text: 'import { y } from "#core/b/y.ts";' },
			{ path: "core/b/y.ts", text: 'import { z } from "#core/a/z.ts";' },
		],
		[
			{ path: "plugins/p/a/x.ts", text: 'import type { Y } from "#plugins/p/b/y.ts";' },
			{ path: "plugins/p/b/testing/z.ts", text: 'import type { X } from "#plugins/p/a/x.ts";' },
			{ path: "plugins/p/contract.ts", text: 'import type { X } from "#plugins/p/a/x.ts";' },
		],
	],
};

type Graph = Map<string, Set<string>>;

type GraphOptions = { nodeOf: (path: string) => string | undefined; types: boolean };

function graphOf(files: readonly SourceFile[], { nodeOf, types }: GraphOptions): Graph {
	const graph: Graph = new Map();
	for (const { path, imports } of files) {
		const from = nodeOf(path);
		if (from === undefined || /\.test\.tsx?$/.test(path)) continue;
		const targets = graph.get(from) ?? new Set();
		graph.set(from, targets);
		for (const { target, typeOnly } of imports) {
			const to = target === undefined || (typeOnly && !types) ? undefined : nodeOf(target);
			if (to !== undefined && to !== from) targets.add(to);
		}
	}
	return graph;
}

/**
 * Returns the top folder that a file belongs to, in core or in a plugin. Undefined for other files,
 * and for a plugin's test files: tests may import from every folder.
 */
function folderOf(path: string): string | undefined {
	if (path.startsWith("plugins/") && isTestFile(path)) return undefined;
	return /^(?:core|plugins\/[^/]+)\/[^/]+(?=\/)/.exec(path)?.[0];
}

const ADVICE = "move what the lower one needs of the higher one down";

/** Each circle once, named by the way around it. */
function cyclesOf(graph: Graph): Problem[] {
	const problems: Problem[] = [];
	const finished = new Set<string>();
	const visit = (node: string, way: string[]) => {
		const start = way.indexOf(node);
		if (start >= 0) {
			const circle = [...way.slice(start), node];
			problems.push({ path: node, message: `is in a circle: ${circle.join(" → ")}; ${ADVICE}` });
			return;
		}
		if (finished.has(node)) return;
		for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
		finished.add(node);
	};
	for (const node of graph.keys()) visit(node, []);
	return problems;
}
