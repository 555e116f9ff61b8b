// Makes the agent's tools about how a collection is held: its traits, its holders.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	createCollectionTool,
	refOf,
	type ToolDeps,
	traitInput,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	addressText,
	countText,
	ethText,
	figureText,
	oldestMs,
	percentText,
	shortText,
} from "#plugins/market-index/agent/lineText.ts";
import { ownersFigure, supplyFigure } from "#plugins/market-index/figures/figures.ts";
import { readColumns } from "#plugins/market-index/read/collectionDetail.ts";
import { SUPPLY_COLUMNS } from "#plugins/market-index/render/collection.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { answerHolders, answerTraits, renderTrait } from "#plugins/market-index/routes/tokens.ts";
import { figureSchema, type ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import { holderSchema, traitCountSchema } from "#plugins/market-index/schemas/tokens.ts";
import { readRarestTraits, readTraitsAt } from "#plugins/market-index/tokens/sql/traits.ts";

/** Returns tools about a collection's traits and holders. */
export function holdingTools(deps: ToolDeps): AnyTool[] {
	return [traits(deps), holders(deps)];
}

const TRAITS_SHOWN = 50;
const RAREST_SHOWN = 5;
const HOLDERS_SHOWN = 20;
const TOP = 10;
const OWNED = [
	...(["name", "ownersCount", "ownersSource", "ownersAt", "providerSalesDay"] as const),
	...SUPPLY_COLUMNS,
] as const;

const traitsOutput = z.object({
	collection: collectionRef,
	traits: z
		.array(traitCountSchema)
		.nullable()
		.meta({ description: "Up to 50 by trait, then value; null until they were counted once." }),
	rarest: z.array(traitCountSchema).nullable().meta({
		description: "Up to five that fewest tokens have, the rarest first; null until then.",
	}),
	hasMore: field.flag("Whether there are more than these."),
	countedAt: field.time("When traits were last counted; null: never.").nullable(),
});

function traits(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_traits",
		title: "Traits",
		description:
			"Shows up to 50 of a collection's trait values, with how many tokens have each and the best " +
			"ask for one of them in ETH equivalents (null where none is known); and which are rarest.",
		input: collectionInput.extend({ trait: traitInput }),
		output: traitsOutput,
		async read(found, { trait }) {
			// Read before the traits, so that the stated age is never too young.
			const countedAt = await readTraitsAt(deps.core.db, found.id);
			const rare = { collectionId: found.id, type: trait ?? null, limit: RAREST_SHOWN };
			const [collection, { data, page }, rarest] = await Promise.all([
				refOf(deps.core, found),
				answerTraits(deps, found, { type: trait, limit: TRAITS_SHOWN }),
				readRarestTraits(deps.core.db, rare),
			]);
			return {
				collection,
				traits: data,
				rarest: data && rarest.map(renderTrait),
				hasMore: page.hasMore,
				countedAt: countedAt?.toISOString() ?? null,
			};
		},
		parts: ({ traits, rarest }) => {
			if (traits === null) return ["traits not known"];
			const [first, ...others] = traits.map(traitText);
			if (first === undefined) return ["traits none"];
			const [rare] = (rarest ?? []).map(traitText);
			return [...(rare === undefined ? [] : [`rarest ${rare}`]), `traits ${first}`, ...others];
		},
		asOfMs: ({ countedAt }) => oldestMs([countedAt]),
	});
}

function traitText({ type, value, count, floorNative }: z.output<typeof traitCountSchema>): string {
	const floor = floorNative === null ? "" : ` from ${ethText(floorNative)}`;
	return `${shortText(type)}: ${shortText(value)} ${countText(count)}${floor}`;
}

const holdersOutput = z.object({
	collection: collectionRef,
	owners: figureSchema.meta({ description: "Distinct owners." }),
	holders: z.array(holderSchema).nullable().meta({
		description: "Up to twenty, the largest first; null until the contract was walked: not known.",
	}),
	supply: figureSchema.meta({ description: "Units that exist." }),
	topTenPercent: field
		.number("The part of the supply that the ten largest hold; null: not known.", 31.4)
		.nullable(),
});

/** Returns the part of the supply in percent; null where it is not known, or known in part. */
function partOf(units: number | null, { value, coverage }: ShownFigure): number | null {
	const isWhole = coverage === null || coverage.fraction === 1;
	if (units === null || value === null || value <= 0 || !isWhole || units > value) return null;
	return (units / value) * 100;
}

function partText(percent: number | null, before: string, after: string): string {
	return percent === null ? "" : `${before}${percentText(percent).replace("+", "")}${after}`;
}

function holders(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_holders",
		title: "Holders",
		description:
			"Shows how many distinct owners a collection has, and its twenty largest holders with the units " +
			"that each holds, and what part of the supply that is. Null is not known.",
		input: collectionInput,
		output: holdersOutput,
		async read(found) {
			const [{ row, context }, { data }] = await Promise.all([
				readColumns(deps, found, { columns: OWNED }),
				answerHolders(deps, found, { limit: HOLDERS_SHOWN }),
			]);
			const { slug, chain, address: contractAddress } = found;
			const collection = { slug, chain, contractAddress, name: row.name };
			const owners = renderFigure(ownersFigure(row, context), { unit: "count" });
			const supply = renderFigure(supplyFigure(row, context), { unit: "count" });
			const ten = data?.slice(0, TOP).reduce((sum, { units }) => sum + Number(units), 0) ?? null;
			const topTenPercent = partOf(ten, supply);
			return { collection, owners, holders: data, supply, topTenPercent };
		},
		parts: ({ owners, holders, supply, topTenPercent }) => [
			`owners ${figureText(owners)}`,
			holders === null
				? "largest holders not known"
				: `largest ${holders
						.slice(0, 3)
						.map(({ address, units }) => {
							const part = partText(partOf(Number(units), supply), " (", ")");
							return `${addressText(address)} ${countText(Number(units))}${part}`;
						})
						.join(" / ")}`,
			...(topTenPercent === null ? [] : [partText(topTenPercent, "ten largest ", "")]),
		],
		asOfMs: ({ owners }) => oldestMs([owners.asOf]),
	});
}
