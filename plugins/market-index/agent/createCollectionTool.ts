import { defineTool, type Tool } from "#core/plugin/Tool.ts";
import { collectionText, lineOf } from "#plugins/market-index/agent/lineText.ts";
import type { ResolveCollection } from "#plugins/market-index/agent/resolveCollection.ts";
import type { CollectionInput, CollectionRef } from "#plugins/market-index/agent/toolSchemas.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import type { Searcher } from "#plugins/market-index/search/createSearcher.ts";

/** What the market's tools are made from. */
export type ToolDeps = RouteContext & { resolve: ResolveCollection; search: Searcher };

/** Common to all tools of the market: they only read, and every caller may use them. */
export const MARKET_READ = { capability: "market", effect: "read", access: "everybody" } as const;

type CollectionTool<Input, Output> = Pick<
	Tool<Input, Output>,
	"name" | "title" | "description" | "input" | "output" | "asOfMs"
> & {
	read(found: FoundCollection, input: Input): Promise<Output>;
	/** Returns the parts of the line after the collection's name, the most important first. */
	parts(output: Output): readonly string[];
};

/** Makes a tool about one collection, which asks back where several collections match. */
export function createCollectionTool<
	Input extends CollectionInput,
	Output extends { collection: CollectionRef },
>(
	{ resolve }: Pick<ToolDeps, "resolve">,
	{ read, parts, ...tool }: CollectionTool<Input, Output>,
): Tool<Input, Output> {
	return defineTool<Input, Output>({
		...tool,
		...MARKET_READ,
		async run(input) {
			const resolved = await resolve(input.collection, input.chain);
			if (resolved.kind === "choose") return resolved;
			return { kind: "done", output: await read(resolved.found, input) };
		},
		line: (output) => lineOf(collectionText(output.collection), parts(output)),
	});
}
