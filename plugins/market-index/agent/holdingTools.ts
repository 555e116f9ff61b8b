// Makes the agent's tools about how a collection stands: its floor, traits, holders, one token.

import { z } from "zod";
import { unreachable } from "#core/fault.ts";
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
	tokenText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import type { ProviderHealth } from "#plugins/market-index/display.ts";
import {
	floorChangeFigure,
	floorFigure,
	ownersFigure,
} from "#plugins/market-index/figures/figures.ts";
import { readAsset, readColumns } from "#plugins/market-index/read/collectionDetail.ts";
import { floorUsd as floorUsdOf } from "#plugins/market-index/render/collection.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { tokenIdParam } from "#plugins/market-index/routes/params.ts";
import { answerHolders, answerTraits } from "#plugins/market-index/routes/tokens.ts";
import { figureSchema } from "#plugins/market-index/schemas/figures.ts";
import {
	assetSchema,
	holderSchema,
	traitCountSchema,
} from "#plugins/market-index/schemas/tokens.ts";
import { readTraitsAt } from "#plugins/market-index/tokens/sql/traits.ts";

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

/** Returns tools about a collection's tokens: traits, holders, one token. */
export function holdingTools(deps: ToolDeps): AnyTool[] {
	return [traits(deps), holders(deps), token(deps)];
}

const TRAITS_SHOWN = 50;
const HOLDERS_SHOWN = 10;
const OWNED = ["name", "ownersCount", "ownersSource", "ownersAt", "providerSalesDay"] as const;

const traitsOutput = z.object({
	collection: collectionRef,
	traits: z
		.array(traitCountSchema)
		.nullable()
		.meta({ description: "Up to 50 by trait, then value; null until they were counted once." }),
	hasMore: field.flag("Whether there are more than these."),
	countedAt: field.time("When traits were last counted; null: never.").nullable(),
});

function traits(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_traits",
		title: "Traits",
		description:
			"Shows up to 50 of a collection's trait values, with how many tokens have each and the best " +
			"ask for one of them in ETH equivalents (null where none is known).",
		input: collectionInput.extend({ trait: traitInput }),
		output: traitsOutput,
		async read(found, { trait }) {
			// Read before the traits, so that the stated age is never too young.
			const countedAt = await readTraitsAt(deps.core.db, found.id);
			const [collection, { data, page }] = await Promise.all([
				refOf(deps.core, found),
				answerTraits(deps, found, { type: trait, limit: TRAITS_SHOWN }),
			]);
			return {
				collection,
				traits: data,
				hasMore: page.hasMore,
				countedAt: countedAt?.toISOString() ?? null,
			};
		},
		parts: ({ traits }) => {
			if (traits === null) return ["traits not known"];
			if (traits.length === 0) return ["traits none"];
			return traits.map(({ type, value, count, floorNative }, index) => {
				const floor = floorNative === null ? "" : ` from ${ethText(floorNative)}`;
				const text = `${shortText(type)}: ${shortText(value)} ${countText(count)}${floor}`;
				return index === 0 ? `traits ${text}` : text;
			});
		},
		asOfMs: ({ countedAt }) => oldestMs([countedAt]),
	});
}

const holdersOutput = z.object({
	collection: collectionRef,
	owners: figureSchema.meta({ description: "Distinct owners." }),
	holders: z.array(holderSchema).nullable().meta({
		description: "Up to ten, the largest first; null until the contract was walked: not known.",
	}),
});

function holders(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_holders",
		title: "Holders",
		description:
			"Shows how many distinct owners a collection has, and its ten largest holders with the units " +
			"that each holds. Null is not known.",
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
			return { collection, owners, holders: data };
		},
		parts: ({ owners, holders }) => [
			`owners ${figureText(owners)}`,
			holders === null
				? "largest holders not known"
				: `largest ${holders
						.slice(0, 3)
						.map((one) => `${addressText(one.address)} ${countText(Number(one.units))}`)
						.join(" / ")}`,
		],
		asOfMs: ({ owners }) => oldestMs([owners.asOf]),
	});
}

const tokenOutput = z.object({
	collection: collectionRef,
	token: assetSchema.pick({
		tokenId: true,
		standard: true,
		name: true,
		imageUrl: true,
		traits: true,
		rank: true,
		source: true,
		fetchedAt: true,
		owner: true,
	}),
});

function token(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_token",
		title: "One token",
		description:
			"Shows one token of a collection: its name, OpenRarity rank (1 the rarest), traits and owner. " +
			"Null is not known; ranks are null before the reveal.",
		input: collectionInput.extend({ token: tokenIdParam }),
		output: tokenOutput,
		async read(found, { token }) {
			const asset = await readAsset(deps.core, found, BigInt(token));
			const { chain, contractAddress } = asset;
			const { slug, name } = asset.collection;
			const collection = { slug, chain, contractAddress, name };
			return { collection, token: tokenOutput.shape.token.parse(asset) };
		},
		// Most names repeat the collection's, which comes before it.
		parts: ({ token: { tokenId, rank, owner, traits } }) => [
			`${tokenText(tokenId)} rank ${countText(rank)}`,
			`owner ${owner === null ? "not known" : addressText(owner)}`,
			...(traits ?? []).map((one) => `${shortText(one.trait_type)}: ${shortText(one.value)}`),
		],
		asOfMs: ({ token }) => oldestMs([token.fetchedAt]),
	});
}

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
