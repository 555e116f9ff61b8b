// Makes the agent's tool that reads a floor.

import { z } from "zod";
import { unreachable } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	createCollectionTool,
	type ToolDeps,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	figureText,
	oldestMs,
	percentText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import type { ProviderHealth } from "#plugins/market-index/display.ts";
import { floorChangeFigure, floorFigure } from "#plugins/market-index/figures/figures.ts";
import { readColumns } from "#plugins/market-index/read/collectionDetail.ts";
import { floorUsd as floorUsdOf } from "#plugins/market-index/render/collection.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { figureSchema } from "#plugins/market-index/schemas/figures.ts";

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
