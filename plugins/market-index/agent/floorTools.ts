// Makes the agent's tools about floors: now, at a past time, and of one trait.

import { z } from "zod";
import { unreachable } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { AnyTool, ToolAnswer } from "#core/plugin/Tool.ts";
import { defineTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	createCollectionTool,
	MARKET_READ,
	periodInput,
	refOf,
	type ToolDeps,
	wordsInput,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	collectionText,
	countText,
	ethText,
	figureText,
	lineOf,
	oldestMs,
	percentText,
	periodText,
	shortText,
	timeText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import { displayFloor, type ProviderHealth } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { floorChangeFigure, floorFigure } from "#plugins/market-index/figures/figures.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { readColumns } from "#plugins/market-index/read/collectionDetail.ts";
import { readPastFloor, requirePeriod } from "#plugins/market-index/read/pastFigures.ts";
import { floorUsd as floorUsdOf } from "#plugins/market-index/render/collection.ts";
import { renderFigure } from "#plugins/market-index/render/figures.ts";
import { figureSchema } from "#plugins/market-index/schemas/figures.ts";
import { traitCountSchema } from "#plugins/market-index/schemas/tokens.ts";
import { findTraits, readTraitsAt } from "#plugins/market-index/tokens/sql/traits.ts";

const MISSING = ["not_read_yet", "nothing_listed", "no_provider", "provider_down"] as const;
type Missing = (typeof MISSING)[number];

const CHOICES_MAX = 5;
/** Floors are read every 15 minutes at least while a client follows, and kept hour by hour. */
const LATE_MS = 75 * 60_000;

/** Returns tools about a collection's floor. */
export function floorTools(deps: ToolDeps): AnyTool[] {
	return [floorTool(deps), pastFloorTool(deps), traitFloorTool(deps)];
}

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
function floorTool(deps: ToolDeps): AnyTool {
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

/** Returns why no floor is known. A floor is an ask, and only the provider reports asks. */
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

const floorNative = (description: string) => field.number(description, 0.42).nullable();

const pastFloorOutput = z.object({
	collection: collectionRef,
	from: field.time("When the time that was asked for begins."),
	until: field.time("When it ends; the same as `from` for a moment."),
	floorNative: floorNative("The floor seen then, or last in that time, in ETH equivalents."),
	floorUsd: field.number("The same in US dollars of then; null = unknown.", 1_203).nullable(),
	seenAt: field.time("When that floor was seen; null: none was.").nullable(),
	lowestNative: floorNative("The lowest seen in that time; null for a moment."),
	highestNative: floorNative("The highest seen in that time; null for a moment."),
	firstNative: floorNative("The first seen in that time; null for a moment."),
	firstAt: field.time("When that was; null for a moment.").nullable(),
	keptFrom: field.time("Since when floors of it are kept; null: none is.").nullable(),
});

function pastFloorTool(deps: ToolDeps): AnyTool {
	return createCollectionTool(deps, {
		name: "read_past_floor",
		title: "Floor of a past time",
		description:
			"Shows the floor that was seen at a past moment, or the first, last, lowest and highest of a " +
			"period, in ETH equivalents. Of floors older than 90 days one a day is kept; null is not known.",
		input: collectionInput.extend({ when: periodInput }),
		output: pastFloorOutput,
		async read(found, { when }) {
			const period = requirePeriod(when, deps.core.clock.nowMs(), "when");
			const [collection, floor] = await Promise.all([
				refOf(deps.core, found),
				readPastFloor(deps, found, period),
			]);
			return { collection, ...floor };
		},
		parts: (output) => {
			const when = periodText(output);
			if (output.floorNative === null || output.seenAt === null) {
				const since =
					output.keptFrom === null ? "none is kept" : `kept since ${timeText(output.keptFrom)}`;
				return [`floor ${when} not known, ${since}`];
			}
			const last = `${ethText(output.floorNative)}${usdText(output.floorUsd)}`;
			if (output.lowestNative === null) {
				return [`floor ${when}: ${last}`, `seen ${timeText(output.seenAt)}`];
			}
			// A floor that was first seen long after the beginning is none of it.
			const late = Date.parse(output.firstAt ?? output.from) - Date.parse(output.from);
			const since = late > LATE_MS ? ` since ${timeText(output.firstAt ?? "")}` : "";
			return [
				`floor ${when}${since}: ${ethText(output.firstNative)} to ${last}`,
				`lowest ${ethText(output.lowestNative)}`,
				`highest ${ethText(output.highestNative)}`,
			];
		},
		asOfMs: () => null,
	});
}

const traitFloorOutput = z.object({
	collection: collectionRef,
	trait: traitCountSchema,
	countedAt: field.time("When traits and their floors were last counted.").nullable(),
});

type TraitFloor = z.output<typeof traitFloorOutput>;

function traitFloorTool(deps: ToolDeps): AnyTool {
	const input = collectionInput.extend({
		trait: wordsInput.meta({
			description: "A value, or a trait and a value: `Gold`, `Background: Gold`.",
			examples: ["Background: Gold"],
		}),
	});
	return defineTool<z.output<typeof input>, TraitFloor>({
		...MARKET_READ,
		name: "read_trait_floor",
		title: "Floor of a trait",
		description:
			"Shows the best ask for a token with one value of one trait, in ETH equivalents, and how many " +
			"tokens have it. Null is not known. Where several traits fit, the answer is a question.",
		input,
		output: traitFloorOutput,
		async run({ collection, chain, trait }) {
			const resolved = await deps.resolve(collection, chain);
			if (resolved.kind === "choose") return resolved;
			return traitAnswer(deps, resolved.found, trait);
		},
		line: ({ collection, trait }) => {
			const floor = trait.floorNative === null ? "not known" : ethText(trait.floorNative);
			return lineOf(collectionText(collection), [
				`floor with ${shortText(trait.type)}: ${shortText(trait.value)} ${floor}`,
				`${countText(trait.count)} have it`,
			]);
		},
		asOfMs: ({ countedAt }) => oldestMs([countedAt]),
	});
}

async function traitAnswer(
	deps: ToolDeps,
	found: FoundCollection,
	text: string,
): Promise<ToolAnswer<TraitFloor>> {
	const { db } = deps.core;
	deps.index.touch(found.id, "detail");
	// Read before the traits, so that the stated age is never too young.
	const countedAt = await readTraitsAt(db, found.id);
	const [collection, traits] = await Promise.all([
		refOf(deps.core, found),
		findTraits(db, { collectionId: found.id, text, limit: CHOICES_MAX }),
	]);
	const [first, ...others] = traits;
	if (first === undefined) {
		const name = shortText(collection.name ?? collection.slug);
		const words = countedAt === null ? "has no counted traits yet" : "has no trait that is called";
		const named = countedAt === null ? "" : ` "${shortText(text)}"`;
		throw marketFault.traitUnknown({ public: `${name} ${words}${named}.` });
	}
	if (others.length > 0) {
		const choices = traits.map(({ type, value }) => {
			return { value: `${type}: ${value}`, label: `${type}: ${value}` };
		});
		return { kind: "choose", question: "Which trait do you mean?", slot: "trait", choices };
	}
	const { type, value, tokens, floorNative: wei } = first;
	const trait = { type, value, count: tokens, floorNative: displayFloor(wei) };
	return {
		kind: "done",
		output: { collection, trait, countedAt: countedAt?.toISOString() ?? null },
	};
}
