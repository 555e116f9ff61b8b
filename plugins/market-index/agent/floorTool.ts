import { z } from "zod";
import { unreachable } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { type AnyTool, defineTool, type Tool } from "#core/plugin/Tool.ts";
import {
	collectionText,
	figureText,
	lineOf,
	oldestMs,
	percentText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import type { ResolveCollection } from "#plugins/market-index/agent/resolveCollection.ts";
import type { ProviderHealth } from "#plugins/market-index/display.ts";
import { floorChangeFigure, floorFigure } from "#plugins/market-index/figures/figures.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { readColumns } from "#plugins/market-index/read/collectionDetail.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import { floorUsd as floorUsdOf } from "#plugins/market-index/render/collection.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { figureSchema } from "#plugins/market-index/schemas/figures.ts";
import { chainParam } from "#plugins/market-index/schemas/params.ts";
import type { Searcher } from "#plugins/market-index/search/createSearcher.ts";

/** What the market's tools are made from. */
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

export type CollectionInput = z.output<typeof collectionInput>;

/** How every answer names its collection. */
export const collectionRef = z.object({
	slug: field.text("Its name in URLs; the contract's address until it has one.", "kiln-folk"),
	chain: field.text("Slug of the chain.", "ethereum"),
	contractAddress: field.addressText("The collection's contract."),
	name: field.text("Its name as its makers gave it; null while unknown.", "Kiln Folk").nullable(),
});

export type CollectionRef = z.output<typeof collectionRef>;

/** One trait of a collection, by its name. */
export const traitInput = z
	.string()
	.max(NAME_LENGTH_MAX)
	.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
	.optional()
	.meta({
		description: "Only values of this trait, by its name as it is shown.",
		examples: ["Background"],
	});

const MISSING = ["not_read_yet", "nothing_listed", "no_provider", "provider_down"] as const;
type Missing = (typeof MISSING)[number];

const figure = (description: string) => figureSchema.meta({ description });

const floorOutput = z.object({
	collection: collectionRef,
	floor: figure("Lowest known ask in ETH equivalents."),
	floorUsd: field.number("The floor in US dollars now; null = unknown.", 1_203).nullable(),
	change24h: figure("Change of the floor in 24 hours, in percent."),
	missing: z
		.enum(MISSING)
		.nullable()
		.meta({
			description:
				"Why no floor is known; null where one is. `not_read_yet`: its listings are read once " +
				"somebody asks, within about a minute. `nothing_listed`: no listing was found. " +
				"`no_provider`: none that knows listings is set up. `provider_down`: it does not answer.",
		}),
});

const COLUMNS = ["name", "floorNative", "floorAt", "floorUsd", "floorBefore"] as const;

/** Makes the tool that reads a floor. Where none is known it says why, and when to ask again. */
export function floorTool(deps: ToolDeps): AnyTool {
	return createCollectionTool(deps, {
		name: "read_floor",
		title: "Floor",
		description:
			"Shows the lowest known ask of a collection in ETH equivalents and US dollars, and its change " +
			"in 24 hours. Null is not known, and never zero; `missing` says why.",
		input: collectionInput,
		output: floorOutput,
		async read(found) {
			// Has its listings read, so that the next question finds a floor.
			deps.index.touch(found.id, "detail");
			const { row, context } = await readColumns(deps, found, { columns: COLUMNS });
			const floor = renderFigure(floorFigure(row), { unit: "ETH", wei: row.floorNative });
			const { slug, chain, address: contractAddress } = found;
			return {
				collection: { slug, chain, contractAddress, name: row.name },
				floor,
				floorUsd: floorUsdOf(row, deps.prices.ethUsd(context.nowMs)),
				change24h: renderFigure(floorChangeFigure(row), { unit: "percent" }),
				missing: floor.value === null ? missingOf(row, deps.providerHealth()) : null,
			};
		},
		parts: ({ floor, floorUsd, change24h, missing }) =>
			missing === null
				? [`floor ${figureText(floor)}${usdText(floorUsd)}`, `24h ${percentText(change24h.value)}`]
				: [`floor not known: ${missingText(missing)}`],
		asOfMs: ({ floor, change24h }) => oldestMs([floor.asOf, change24h.asOf]),
	});
}

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

/** Returns why no floor is known. A floor is an ask, and only the provider tells asks. */
function missingOf(
	{ floorNative, floorAt }: { floorNative: string | null; floorAt: Date | null },
	{ isOn, isConnected }: ProviderHealth,
): Missing {
	if (floorAt !== null && floorNative === null) return "nothing_listed";
	if (!isOn) return "no_provider";
	return isConnected === false ? "provider_down" : "not_read_yet";
}

function missingText(missing: Missing): string {
	switch (missing) {
		case "not_read_yet":
			return "its listings are being read, ask again in a minute";
		case "nothing_listed":
			return "no listing was found";
		case "no_provider":
			return "no provider of listings is set up here";
		case "provider_down":
			return "the provider of listings does not answer now, ask again later";
		default:
			return unreachable(missing);
	}
}
