import { z } from "zod";
import { cleanPayload } from "#plugins/market-index/payload/cleanPayload.ts";

const figures = z.record(z.string(), z.unknown());

/**
 * The name of an interval is a text, any text; figures of an interval without a name are left out.
 */
const interval = z.looseObject({ interval: z.string() });

const statsSchema = z.object({
	total: figures.catch({}),
	intervals: z.array(interval.nullable().catch(null)).optional().catch(undefined),
});

/** Figures that are numbers from zero on; anything else that stands there is nobody's figure. */
const COUNTED = ["volume", "sales", "average_price", "market_cap"];

export type ShownStats = {
	total: Record<string, unknown> & {
		floor_price: number | null;
		floor_price_symbol: string | null;
	};
	/** Only where the provider told them. */
	intervals?: Record<string, unknown>[];
};

/**
 * The provider's stats in the shape it sends them, with what it has not counted made null: a floor
 * of zero, no owners, a volume of zero beside sales.
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
