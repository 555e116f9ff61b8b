import { eachFile, isTestFile, type Problem, type Rule, type SourceFile } from "#test/tidy/Rule.ts";

type Graph = Map<string, Set<string>>;

/**
 * No circles of imports between files, types counted. In core and inside each plugin also none
 * between folders: folders depend one way.
 */
export const importCycles: Rule = {
	name: "import-cycles",
	why: "in a circle nothing comes first: not for the reader, and not for the module loader",
	check: (files) => [
		...cyclesOf(graphOf(files, (path) => path)),
		...cyclesOf(graphOf(files, folderOf)),
	],
	bad: [
		[
			{ path: "core/a/x.ts", text: 'import { y } from "#core/a/y.ts";' },
			{ path: "core/a/y.ts", text: 'import { z } from "./z.ts";' },
			{ path: "core/a/z.ts", text: 'import { x } from "#core/a/x.ts";' },
		],
		[
			{ path: "core/a/x.ts", text: 'import type { Y } from "#core/a/y.ts";' },
			{ path: "core/a/y.ts", text: 'import { x } from "#core/a/x.ts";' },
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
			{ path: "core/a/x.ts", text: 'import type { Y } from "#core/a/model.ts";' },
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

const ADVICE = "move what the lower one needs of the higher one down";

/** Who may import whom: what is below never imports what is above. */
export const importDirections: Rule = {
	name: "import-directions",
	why: "one direction of dependency: what is below can be read, tested and replaced alone",
	check: eachFile(({ path, imports }) =>
		imports.flatMap(({ target, line }) => {
			const reason = target === undefined ? undefined : refusal(path, target);
			return reason ? [{ line, message: `imports ${target}: ${reason}` }] : [];
		}),
	),
	bad: [
		[importing("core/a.ts", "#plugins/trading/contract.ts")],
		[importing("core/a.ts", "#agent/contract.ts")],
		[importing("core/a.ts", "../api/app.ts")],
		[importing("core/a.ts", "#test/harness/x.ts")],
		[importing("plugins/a/x.ts", "#plugins/b/internal.ts")],
		[importing("plugins/a/x.ts", "../b/plugin.ts")],
		[importing("plugins/a/x.ts", "#agent/grammar.ts")],
		[importing("plugins/a/x.ts", "#api/app.ts")],
		[importing("plugins/a/x.test.ts", "#plugins/b/internal.ts")],
		[importing("agent/x.ts", "#plugins/a/contract.ts")],
		[importing("api/x.ts", "#plugins/a/contract.ts")],
		[importing("api/cli/up.ts", "#test/sandbox/world.ts")],
		[importing("plugins/terminal/web/x.tsx", "#core/money.ts")],
		[importing("plugins/terminal/web/x.tsx", "#plugins/terminal/plugin.ts")],
		[{ path: "core/a.ts", text: 'const a = await import("#plugins/b/plugin.ts");' }],
		[{ path: "core/a.ts", text: 'export { b } from "#plugins/b/contract.ts";' }],
		[{ path: "core/a.ts", text: 'import type {\n\tB,\n} from "#plugins/b/contract.ts";' }],
		[{ path: "core/a.ts", text: 'import "#api/app.ts";' }],
	],
	good: [
		[importing("core/a.ts", "#core/b.ts")],
		[importing("core/a.ts", "zod")],
		[importing("core/a.test.ts", "#test/harness/x.ts")],
		[importing("core/limiterCases.ts", "#test/harness/x.ts")],
		[importing("plugins/a/x.ts", "#core/a.ts")],
		[importing("plugins/a/x.ts", "#plugins/a/deep/y.ts")],
		[importing("plugins/a/x.ts", "#plugins/b/contract.ts")],
		[importing("plugins/a/x.ts", "#agent/contract.ts")],
		[importing("agent/x.ts", "#core/a.ts")],
		[importing("api/x.ts", "#plugins/a/plugin.ts")],
		[importing("test/e2e/x.ts", "#plugins/a/internal.ts")],
		[importing("plugins/terminal/web/x.tsx", "#plugins/streams/contract.ts")],
		[importing("plugins/terminal/web/x.tsx", "./chart.tsx")],
		[importing("plugins/terminal/web/x.tsx", "#client/openStream.ts")],
		[{ path: "core/a.ts", text: '// import "#api/app.ts";\nconst a = `import "#api/app.ts"`;' }],
	],
};

/** Pages that run in a browser. */
const WEB = /^plugins\/[^/]+\/web\//;

/** Values that nothing of the product uses, each with the reason why it stays. */
const KEPT = new Map([
	["createClient", "the typed client, for programs of this repository"],
	["scoreToken", "the rank of a token before all are known: for snipe plans"],
	["countedTraits", "what scoreToken is given"],
	["syncBoundMs", "the bound that the README prints; tests and the bench hold us to it"],
	["refreshBoundMs", "the same, for collections that are already known"],
	["readFlags", "for the flags in rows of sales, which come with the next part"],
	["readWashSums", "for volumes without flagged sales, which come with the next part"],
	["revenueRouterAbi", "for the ledger of token economics, which comes with its next part"],
	["buybackBurnerAbi", "for the buyback of token economics, which comes with its next part"],
]);

export const unusedExports: Rule = {
	name: "unused-exports",
	why: "code that only its own test calls is read, repaired and believed to be in use",
	check(files) {
		const product = files.filter(({ path }) => !isTestFile(path));
		const words = product.map(({ code }) => wordsOf(code));
		const users = new Map<string, number>();
		for (const counts of words) {
			for (const word of counts.keys()) users.set(word, (users.get(word) ?? 0) + 1);
		}
		return product.flatMap(({ path, exports }, at) =>
			valuesOf(exports)
				.filter((name) => !KEPT.has(name))
				.filter((name) => users.get(name) === 1 && words[at]?.get(name) === 1)
				.map((name) => ({
					path,
					message: `nothing of the product uses ${name}: delete it, or move it to testing/`,
				})),
		);
	},
	bad: [
		[
			{ path: "core/money/half.ts", text: "export function half(a: bigint) { return a / 2n; }" },
			{ path: "core/money/half.test.ts", text: 'import { half } from "#core/money/half.ts";' },
		],
	],
	good: [
		[
			{ path: "core/money/half.ts", text: "export function half(a: bigint) { return a / 2n; }" },
			{ path: "core/money/split.ts", text: 'import { half } from "#core/money/half.ts";' },
		],
		[{ path: "core/a/limits.ts", text: "export const A = 1;\nexport const B_MS = A * 2;\nB_MS;" }],
		[{ path: "api/client/createClient.ts", text: "export function createClient() {}" }],
	],
};

function graphOf(
	files: readonly SourceFile[],
	nodeOf: (path: string) => string | undefined,
): Graph {
	const graph: Graph = new Map();
	for (const { path, imports } of files) {
		const from = nodeOf(path);
		if (from === undefined || /\.test\.tsx?$/.test(path)) continue;
		const targets = graph.get(from) ?? new Set();
		graph.set(from, targets);
		for (const { target } of imports) {
			const to = target === undefined ? undefined : nodeOf(target);
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

function refusal(from: string, to: string): string | undefined {
	if (from.startsWith("test/")) return undefined;
	if (to.startsWith("test/")) {
		return isTestFile(from) ? undefined : "nothing but a test imports test";
	}
	const web = WEB.exec(from)?.[0];
	if (web !== undefined) {
		return to.startsWith(web) || isContract(to) || to.startsWith("client/")
			? undefined
			: "the pages are a browser bundle and see only contracts, our client and themselves";
	}
	const [area, plugin] = from.split("/");
	if (area === to.split("/")[0] && area !== "plugins") return undefined;
	if (area === "core") return "core imports only core";
	if (to.startsWith("core/")) return undefined;
	if (area === "agent") return "the agent imports only core; tools reach it through the loader";
	if (area === "api") {
		return to.startsWith("agent/") || /^plugins\/[^/]+\/plugin\.ts$/.test(to)
			? undefined
			: "api sees of a plugin only its plugin.ts";
	}
	if (area === "plugins") {
		return to.startsWith(`plugins/${plugin}/`) || isContract(to)
			? undefined
			: "a plugin is seen from outside only through its contract.ts";
	}
	return undefined;
}

function isContract(path: string): boolean {
	return /^(agent|plugins\/[^/]+)\/contract\.ts$/.test(path);
}

function importing(path: string, specifier: string) {
	return { path, text: `import { something } from "${specifier}";\n` };
}

function valuesOf(exports: SourceFile["exports"]): string[] {
	return exports.filter(({ kind }) => kind === "value").map(({ name }) => name);
}

function wordsOf(code: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const word of code.match(/\w+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
	return counts;
}
