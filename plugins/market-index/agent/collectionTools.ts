// Makes the agent's tools about one collection's figures.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { minutesOf } from "#core/period.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import {
	type CollectionRef,
	collectionInput,
	collectionRef,
	createCollectionTool,
	periodInput,
	refOf,
	type ToolDeps,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	countText,
	ethText,
	figureText,
	oldestMs,
	periodText,
	timeText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import { displayTime } from "#plugins/market-index/display.ts";
import {
	mintedFigure,
	mintPriceFigure,
	mintsFigure,
	supplyFigure,
} from "#plugins/market-index/figures/figures.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import {
	mintPriceWei,
	type ReadColumns,
	readColumns,
	readWindowFigures,
} from "#plugins/market-index/read/collectionDetail.ts";
import { readPastSales, requirePeriod } from "#plugins/market-index/read/pastFigures.ts";
import {
	floorUsd as floorUsdOf,
	LIFECYCLE_COLUMNS,
	lifecycleOfRow,
	MINT_COLUMNS,
	renderMint,
	SUPPLY_COLUMNS,
} from "#plugins/market-index/render/collection.ts";
import { renderFigure, renderFigures } from "#plugins/market-index/render/figures.ts";
import { WINDOW_MS } from "#plugins/market-index/rollup/windows.ts";
import { lifecycleSchema } from "#plugins/market-index/schemas/collection.ts";
import { figureSchema, type ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import { ALL_COLUMNS, type CollectionColumn } from "#plugins/market-index/sql/collectionRows.ts";

/** Returns tools about one collection's figures: summary, volume, prices, mints, lifecycle. */
export function collectionTools(deps: ToolDeps): AnyTool[] {
	return [summary(deps), volume(deps), prices(deps), mints(deps), lifecycle(deps)];
}

const figure = (description: string) => figureSchema.meta({ description });
const floorUsd = field.number("The floor in US dollars now; null = unknown.", 1_203).nullable();
const revealState = field.text("`unknown`, `placeholder` or `revealed`.", "revealed");

const summaryOutput = z.object({
	collection: collectionRef,
	lifecycle: lifecycleSchema,
	floor: figure("Lowest known ask in ETH equivalents."),
	floorUsd,
	volume24h: figure("Accepted sales of 24 hours in ETH equivalents."),
	sales24h: figure("Number of accepted sales of 24 hours."),
	owners: figure("Distinct owners."),
	listed: figure("Tokens for sale."),
	supply: figure("Units that exist."),
});

function summary(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_collection",
		title: "Collection summary",
		description:
			"Shows a collection's floor, 24-hour volume and sales, owners, listings, supply and stage. " +
			"Prices are ETH equivalents; a value that is null is not known.",
		input: collectionInput,
		output: summaryOutput,
		async read(found) {
			const { row, context } = await keptColumns(deps, found, ALL_COLUMNS);
			const figures = renderFigures(row, context, null);
			return {
				collection: refIn(found, row),
				lifecycle: lifecycleOfRow(row, context.nowMs).presented,
				floor: figures.floorNative,
				floorUsd: floorUsdOf(row, deps.prices.ethUsd(context.nowMs)),
				volume24h: figures.volume24hNative,
				sales24h: figures.sales24h,
				owners: figures.ownersCount,
				listed: figures.listedCount,
				supply: figures.totalSupply,
			};
		},
		parts: (output) => [
			`floor ${figureText(output.floor)}${usdText(output.floorUsd)}`,
			`24h volume ${figureText(output.volume24h)}`,
			`sales ${figureText(output.sales24h)}`,
			`owners ${countText(output.owners.value)}`,
			`listed ${countText(output.listed.value)}`,
			`supply ${countText(output.supply.value)}`,
		],
		asOfMs: ({ floor, volume24h, sales24h, owners, listed, supply }) =>
			oldestMs([floor, volume24h, sales24h, owners, listed, supply].map(({ asOf }) => asOf)),
	});
}

const soldIn = {
	collection: collectionRef,
	window: periodInput.meta({ description: "The time that it is about, as it was asked for." }),
	from: field.time("When that time begins, at a whole minute."),
	until: field.time("When it ends: now, for a length of time."),
	keptFrom: field.time("Since when sales are kept here; null: none was read.").nullable(),
	sales: figure("Number of accepted sales of that time."),
};

const volumeOutput = z.object({
	...soldIn,
	volume: figure("Accepted sales of that time in ETH equivalents."),
});

function volume(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_volume",
		title: "Volume",
		description:
			"Shows what a collection's accepted sales of a time come to, in ETH equivalents, and how " +
			"many they are. `coverage` says how much of that time was looked at; null is not known.",
		input: collectionInput.extend({ window: periodInput.default("24h") }),
		output: volumeOutput,
		async read(found, { window }) {
			const period = requirePeriod(window, deps.core.clock.nowMs(), "window");
			const [collection, past] = await Promise.all([
				refOf(deps.core, found),
				readPastSales(deps, found, period),
			]);
			const { figures, ...span } = past;
			// Of a window this is the figure of the routes, which also hear what the provider counts.
			const { volume, sales } = isWindow(window)
				? await readWindowFigures(deps, found, window)
				: figures;
			return { collection, window, ...span, volume, sales };
		},
		parts: (output) => [
			`${spanText(output)} volume ${figureText(output.volume)}`,
			`sales ${figureText(output.sales)}`,
			...keptText(output),
		],
		asOfMs: ({ window, volume, sales }) =>
			minutesOf(window) === undefined ? null : oldestMs([volume.asOf, sales.asOf]),
	});
}

const pricesOutput = z.object({
	...soldIn,
	average: figure("Average price of a unit in that time."),
	highest: figure("Highest price of a unit in that time."),
	lowest: figure("Lowest price of a unit in that time."),
});

function prices(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_prices",
		title: "Prices paid",
		description:
			"Shows the average, highest and lowest price that a unit of a collection was sold for in a " +
			"time, in ETH equivalents. They are prices of accepted sales, not asks; null is not known.",
		input: collectionInput.extend({ window: periodInput }),
		output: pricesOutput,
		async read(found, { window }) {
			const period = requirePeriod(window, deps.core.clock.nowMs(), "window");
			const [collection, { figures, ...span }] = await Promise.all([
				refOf(deps.core, found),
				readPastSales(deps, found, period),
			]);
			const { sales, average, highest, lowest } = figures;
			return { collection, window, ...span, sales, average, highest, lowest };
		},
		parts: (output) => [
			`${spanText(output)} average ${figureText(output.average)}`,
			`highest ${figureText(output.highest)}`,
			`lowest ${figureText(output.lowest)}`,
			`of ${figureText(output.sales)} sales`,
			...keptText(output),
		],
		asOfMs: ({ window, sales }) =>
			minutesOf(window) === undefined ? null : oldestMs([sales.asOf]),
	});
}

type Sold = { window: string; from: string; until: string; keptFrom: string | null };

/** Returns the time that an answer is about: `3d`, or its dates. */
function spanText(output: Sold): string {
	return minutesOf(output.window) === undefined ? periodText(output) : output.window;
}

/** Says since when sales are kept, where that is not the whole of the time. */
function keptText({ from, keptFrom, sales }: Sold & { sales: ShownFigure }): string[] {
	const isWhole = sales.value !== null && sales.coverage?.fraction === 1;
	if (isWhole || keptFrom === null || keptFrom <= from) return [];
	return [`kept since ${timeText(keptFrom)}`];
}

function isWindow(name: string): name is keyof typeof WINDOW_MS {
	return Object.hasOwn(WINDOW_MS, name);
}

const mintsOutput = z.object({
	collection: collectionRef,
	isMinting: field.flag("Minting, with a mint in the last hour."),
	price: figure("What the last mint cost a unit in ETH equivalents; 0 = free."),
	mints1h: figure("Mint events of the last hour."),
	minted: figure("Units ever minted."),
	lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
});

function mints(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_mints",
		title: "Mints",
		description:
			"Shows how many units of a collection were minted, how many mints the last hour had, and " +
			"what the last one cost in ETH equivalents (0 = free, null = not known). It mints nothing.",
		input: collectionInput,
		output: mintsOutput,
		async read(found) {
			const columns = ["name", ...MINT_COLUMNS] as const;
			const { chain, row, context } = await keptColumns(deps, found, columns);
			const wei = mintPriceWei(chain, row, deps.prices);
			return {
				collection: refIn(found, row),
				isMinting: renderMint(row, context, wei).active,
				price: renderFigure(mintPriceFigure(wei, row), { unit: "ETH", wei }),
				mints1h: renderFigure(mintsFigure(row, context), { unit: "count" }),
				minted: renderFigure(mintedFigure(row, context), { unit: "count" }),
				lastMintAt: displayTime(row.lastMintAt),
			};
		},
		parts: ({ price, mints1h, minted, lastMintAt }) => [
			`minted ${figureText(minted)}`,
			`last hour ${figureText(mints1h)}`,
			`price ${price.value === 0 ? "free" : ethText(price.value)}`,
			`last mint ${lastMintAt === null ? "not known" : timeText(lastMintAt)}`,
		],
		asOfMs: ({ mints1h, minted }) => oldestMs([mints1h.asOf, minted.asOf]),
	});
}

const lifecycleOutput = z.object({
	collection: collectionRef,
	lifecycle: lifecycleSchema,
	revealState,
	minted: figure("Units ever minted."),
	supply: figure("Units that exist."),
	lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
});

function lifecycle(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_lifecycle",
		title: "Lifecycle",
		description:
			"Shows the stage a collection is in (`upcoming`, `minting`, `minted_out`, `secondary`; null is " +
			"not known), whether its tokens are revealed, and when it last minted.",
		input: collectionInput,
		output: lifecycleOutput,
		async read(found) {
			const columns = ["name", "revealState", ...LIFECYCLE_COLUMNS, ...SUPPLY_COLUMNS] as const;
			const { row, context } = await keptColumns(deps, found, columns);
			return {
				collection: refIn(found, row),
				lifecycle: lifecycleOfRow(row, context.nowMs).presented,
				revealState: row.revealState,
				minted: renderFigure(mintedFigure(row, context), { unit: "count" }),
				supply: renderFigure(supplyFigure(row, context), { unit: "count" }),
				lastMintAt: displayTime(row.lastMintAt),
			};
		},
		parts: (output) => [
			`stage ${output.lifecycle?.replace("_", " ") ?? "not known"}`,
			`reveal ${output.revealState === "unknown" ? "not known" : output.revealState}`,
			`minted ${figureText(output.minted)}`,
			`last mint ${output.lastMintAt === null ? "not known" : timeText(output.lastMintAt)}`,
		],
		asOfMs: ({ minted, supply }) => oldestMs([minted.asOf, supply.asOf]),
	});
}

/** Reads a collection as its page does: its book is then kept current for a while. */
function keptColumns<Column extends CollectionColumn>(
	deps: ToolDeps,
	found: FoundCollection,
	columns: readonly Column[],
): Promise<ReadColumns<Column>> {
	deps.index.touch(found.id, "detail");
	return readColumns(deps, found, { columns });
}

function refIn(
	{ slug, chain, address }: FoundCollection,
	{ name }: { name: string | null },
): CollectionRef {
	return { slug, chain, contractAddress: address, name };
}
