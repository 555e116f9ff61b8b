// Makes tools about one collection, and defines their common input and output.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { isPeriodName } from "#core/period.ts";
import { defineTool, type Tool } from "#core/plugin/Tool.ts";
import { collectionText, lineOf } from "#plugins/market-index/agent/lineText.ts";
import type { FoundCollection, ResolveCollection } from "#plugins/market-index/model.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import { chainParam } from "#plugins/market-index/routes/params.ts";
import type { Searcher } from "#plugins/market-index/search/createSearcher.ts";
import { readCollectionNames } from "#plugins/market-index/sql/collectionNames.ts";

/** Holds what the market's tools are made from. */
export type ToolDeps = RouteContext & { resolve: ResolveCollection; search: Searcher };

type CollectionTool<Input, Output> = Pick<
	Tool<Input, Output>,
	"name" | "title" | "description" | "input" | "output" | "asOfMs"
> & {
	read(found: FoundCollection, input: Input): Promise<Output>;
	/** Returns the parts of the line after the collection's name, the most important first. */
	parts(output: Output): readonly string[];
};

/** Common to all tools of the market: they only read, and every caller may use them. */
export const MARKET_READ = { capability: "market", effect: "read", access: "everybody" } as const;

const NAME_LENGTH_MAX = 128;

/** Words that name a collection or search for one. */
export const wordsInput = z
	.string()
	.regex(/^(?=.*\S)[^\p{Cc}]*$/u, "must be text on one line")
	.max(NAME_LENGTH_MAX);

/** The input of every tool about one collection. */
export const collectionInput = z.strictObject({
	collection: wordsInput.meta({
		description:
			"A slug, a former slug, a contract address, or a name. Where several collections fit, the " +
			"answer is a question.",
		examples: ["kiln-folk", "Kiln Folk", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
	}),
	chain: chainParam,
});

/** A length of time or a past time, by its name. */
export const periodInput = z
	.string()
	.max(40)
	.refine(isPeriodName, "must be a time such as 7d, yesterday-utc, october-utc or 2026-10-14")
	.meta({
		description:
			"So long until now (`30m`, `6h`, `3d`), a month (`2026-10`, `october-utc`), a day " +
			"(`2026-10-14`, `yesterday-utc`), or a moment (`2026-10-14-14:00`, `3h-ago`); UTC.",
		examples: ["7d", "2026-10"],
	});

type CollectionInput = z.output<typeof collectionInput>;

/** Describes how every answer names its collection. */
export const collectionRef = z.object({
	slug: field.text("Its name in URLs; the contract's address until it has one.", "kiln-folk"),
	chain: field.text("Slug of the chain.", "ethereum"),
	contractAddress: field.addressText("The collection's contract."),
	name: field.text("Its name as its makers gave it; null while unknown.", "Kiln Folk").nullable(),
});

export type CollectionRef = z.output<typeof collectionRef>;

/** Parses one trait of a collection, by its name. */
export const traitInput = z
	.string()
	.max(NAME_LENGTH_MAX)
	.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
	.optional()
	.meta({
		description: "Only values of this trait, by its name as it is shown.",
		examples: ["Background"],
	});

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

/** Returns a found collection as answers name it. */
export async function refOf(
	core: Pick<RouteContext["core"], "db">,
	{ id, chain, address, slug }: FoundCollection,
): Promise<CollectionRef> {
	const names = await readCollectionNames(core.db, [id]);
	return { slug, chain, contractAddress: address, name: names.get(id)?.name ?? null };
}
