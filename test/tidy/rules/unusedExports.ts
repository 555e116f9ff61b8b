import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";
import type { SourceFile } from "#test/tidy/SourceFile.ts";

/** Values that nothing of the product uses, each with the reason why it stays. */
const KEPT = new Map([
	["createClient", "the typed client, for programs of this repository"],
	["scoreToken", "the rank of a token before all are known: for snipe plans"],
	["countedTraits", "what scoreToken is given"],
	["syncBoundMs", "the bound that the README prints; tests and the bench hold us to it"],
	["refreshBoundMs", "the same, for collections that are already known"],
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

function valuesOf(exports: SourceFile["exports"]): string[] {
	return exports.filter(({ kind }) => kind === "value").map(({ name }) => name);
}

function wordsOf(code: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const word of code.match(/\w+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
	return counts;
}
