import { z } from "zod";
import { cleanPayload } from "#plugins/market-index/payload/cleanPayload.ts";

const figures = z.record(z.string(), z.unknown());

/** An interval with its name, which may be any text; an interval without a name is left out. */
const interval = z.looseObject({ interval: z.string() });

const statsSchema = z.object({
	total: figures.catch({}),
	intervals: z.array(interval.nullable().catch(null)).optional().catch(undefined),
});

/** Figures that are numbers from zero on; any other value is dropped. */
const COUNTED = ["volume", "sales", "average_price", "market_cap"];

export type ShownStats = {
	total: Record<string, unknown> & {
		floor_price: number | null;
		floor_price_symbol: string | null;
	};
	/** Only where the provider sent them. */
	intervals?: Record<string, unknown>[];
};

/**
 * Renders the provider's stats in its own shape, with uncounted figures made null: a floor of zero,
 * no owners, a volume of zero with sales.
 */
export function renderProviderStats(stored: unknown): ShownStats {
	const told = figures.catch({}).parse(stored);
	const { total, intervals } = statsSchema.catch({ total: {} }).parse(cleanPayload(told));
	const floor = positive(total["floor_price"]);
	const symbol = total["floor_price_symbol"];
	return {
		total: {
			...withVolume(total),
			...(Object.hasOwn(total, "num_owners") && { num_owners: positive(total["num_owners"]) }),
			floor_price: floor,
			floor_price_symbol: floor !== null && typeof symbol === "string" && symbol ? symbol : null,
		},
		...(intervals && {
			intervals: intervals.filter((one) => one !== null).map(withVolume),
		}),
	};
}

function withVolume(told: Record<string, unknown>): Record<string, unknown> {
	const figure = { ...told };
	for (const name of COUNTED) {
		if (Object.hasOwn(figure, name)) figure[name] = counted(figure[name]);
	}
	const isUnknown = figure["volume"] === 0 && positive(figure["sales"]) !== null;
	return isUnknown ? { ...figure, volume: null } : figure;
}

function counted(value: unknown): number | null {
	return typeof value === "number" && value >= 0 ? value : null;
}

function positive(value: unknown): number | null {
	return typeof value === "number" && value > 0 ? value : null;
}
