// Makes the agent's tool that holds two collections side by side, by one figure.

import { z } from "zod";
import { unreachable } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import { defineTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	MARKET_READ,
	periodInput,
	type ToolDeps,
	wordsInput,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	countText,
	ethText,
	lineOf,
	nameText,
	oldestMs,
	percentText,
} from "#plugins/market-index/agent/lineText.ts";
import { floorChangePercent } from "#plugins/market-index/floor.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { readColumns, readWindowFigures } from "#plugins/market-index/read/collectionDetail.ts";
import {
	readPastFloor,
	readPastSales,
	requirePeriod,
} from "#plugins/market-index/read/pastFigures.ts";
import { renderFigures } from "#plugins/market-index/render/figures.ts";
import { WINDOW_MS } from "#plugins/market-index/rollup/windows.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import { ALL_COLUMNS } from "#plugins/market-index/sql/collectionRows.ts";

/** Lists the figures by which two collections are compared. */
export const COMPARED = [
	"floor",
	"floor_change",
	"volume",
	"sales",
	"holders",
	"listed",
	"supply",
] as const;
type Compared = (typeof COMPARED)[number];

const compareInput = collectionInput.extend({
	other: wordsInput.meta({
		description: "The other collection, named in the same ways.",
		examples: ["night-ferry"],
	}),
	by: z.enum(COMPARED).default("floor").meta({ description: "The figure of both." }),
	window: periodInput
		.default("24h")
		.meta({ description: "The time of `volume`, `sales` and `floor_change`." }),
});

const sideSchema = z.object({
	collection: collectionRef,
	value: field.number("The figure; null: not known.", 2.37).nullable(),
	isPartial: field.flag("Whether sources looked at a part of the time only."),
	asOf: field.time("When it was true; null: not known.").nullable(),
});
type Side = z.output<typeof sideSchema>;

const comparedOutput = z.object({
	by: z.enum(COMPARED).meta({ description: "What was asked for." }),
	window: z.string().nullable().meta({ description: "Its time; null: the figure is of now." }),
	unit: z.enum(["ETH", "count", "percent"]).meta({ description: "The unit of both values." }),
	sides: z.array(sideSchema).meta({ description: "Both, in the order in which they were named." }),
});

const UNITS = {
	floor: "ETH",
	floor_change: "percent",
	volume: "ETH",
	sales: "count",
	holders: "count",
	listed: "count",
	supply: "count",
} as const;

const TITLES: Record<Compared, string> = {
	floor: "Floor",
	floor_change: "Floor change",
	volume: "Volume",
	sales: "Sales",
	holders: "Owners",
	listed: "Listed",
	supply: "Supply",
};

const OF_A_TIME: ReadonlySet<Compared> = new Set(["floor_change", "volume", "sales"]);

/** Returns the tool that compares two collections. */
export function compareTools(deps: ToolDeps): AnyTool[] {
	return [
		defineTool<z.output<typeof compareInput>, z.output<typeof comparedOutput>>({
			...MARKET_READ,
			name: "read_comparison",
			title: "Two collections compared",
			description:
				"Shows one figure of two collections: the floor, its change, volume, sales, owners, listed " +
				"tokens or supply. Amounts are ETH equivalents; null is not known, and never zero.",
			input: compareInput,
			output: comparedOutput,
			async run({ collection, other, chain, by, window }) {
				const first = await deps.resolve(collection, chain);
				if (first.kind === "choose") return first;
				const second = await deps.resolve(other, chain);
				if (second.kind === "choose") {
					return { ...second, slot: second.slot === "collection" ? "other" : second.slot };
				}
				const sides = await Promise.all(
					[first.found, second.found].map((found) => readSide(deps, found, { by, window })),
				);
				const output = { by, window: OF_A_TIME.has(by) ? window : null, unit: UNITS[by], sides };
				return { kind: "done", output };
			},
			line: ({ by, window, unit, sides }) =>
				lineOf(
					`${TITLES[by]}${window === null ? "" : ` ${window}`}:`,
					sides.map(({ collection, value, isPartial }) => {
						const part = isPartial && value !== null ? " (in part)" : "";
						return `${sideText(collection, sides)} ${valueText(value, unit)}${part}`;
					}),
				),
			asOfMs: ({ window, sides }) =>
				window !== null && !Object.hasOwn(WINDOW_MS, window)
					? null
					: oldestMs(sides.map(({ asOf }) => asOf)),
		}),
	];
}

/** Returns a side's name, with its chain where the two have different ones. */
function sideText(collection: Side["collection"], sides: readonly Side[]): string {
	const isOneChain = sides.every((side) => side.collection.chain === collection.chain);
	return isOneChain ? nameText(collection) : `${nameText(collection)} (${collection.chain})`;
}

function valueText(value: number | null, unit: "ETH" | "count" | "percent"): string {
	if (unit === "ETH") return ethText(value);
	return value === null || unit === "count" ? countText(value) : percentText(value);
}

async function readSide(
	deps: ToolDeps,
	found: FoundCollection,
	{ by, window }: { by: Compared; window: string },
): Promise<Side> {
	deps.index.touch(found.id, "detail");
	const { row, context } = await readColumns(deps, found, { columns: ALL_COLUMNS });
	const { slug, chain, address: contractAddress } = found;
	const collection = { slug, chain, contractAddress, name: row.name };
	const figures = renderFigures(row, context, null);
	const side = ({ value, coverage, asOf }: ShownFigure): Side => {
		const isPartial = coverage !== null && coverage.fraction !== 1;
		return { collection, value, isPartial, asOf };
	};
	switch (by) {
		case "floor":
			return side(figures.floorNative);
		case "holders":
			return side(figures.ownersCount);
		case "listed":
			return side(figures.listedCount);
		case "supply":
			return side(figures.totalSupply);
		case "volume":
		case "sales":
			return side(await soldIn(deps, found, { by, window }));
		case "floor_change":
			return { collection, isPartial: false, ...(await changeIn(deps, found, window)) };
		default:
			return unreachable(by);
	}
}

async function soldIn(
	deps: ToolDeps,
	found: FoundCollection,
	{ by, window }: { by: "volume" | "sales"; window: string },
): Promise<ShownFigure> {
	// Of a window this is the figure of the routes, which also hear what the provider counts.
	if (isWindow(window)) return (await readWindowFigures(deps, found, window))[by];
	const period = requirePeriod(window, deps.core.clock.nowMs(), "window");
	return (await readPastSales(deps, found, period)).figures[by];
}

/**
 * Returns how the floor changed between both ends of a time, in percent: a floor that was seen near
 * each of them, else it is not known.
 */
async function changeIn(
	deps: ToolDeps,
	found: FoundCollection,
	window: string,
): Promise<Pick<Side, "value" | "asOf">> {
	const { fromMs, untilMs } = requirePeriod(window, deps.core.clock.nowMs(), "window");
	const [before, after] = await Promise.all(
		[fromMs, untilMs].map((atMs) => readPastFloor(deps, found, { fromMs: atMs, untilMs: atMs })),
	);
	const text = (floor: typeof before) => floor?.floorNative?.toString() ?? null;
	return { value: floorChangePercent(text(after), text(before)), asOf: after?.seenAt ?? null };
}

function isWindow(name: string): name is keyof typeof WINDOW_MS {
	return Object.hasOwn(WINDOW_MS, name);
}
