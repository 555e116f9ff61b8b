import type { Address } from "#core/chain/Hex.ts";
import { cleanLine } from "#core/outside/cleanLine.ts";
import type { ProviderOrderCriteria } from "#plugins/provider/contract.ts";
import { CRITERIA_PER_ORDER_MAX } from "#plugins/provider/limits.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** The tokens that an offer is for. */
export type OfferCriteria = {
	contract: Address | null;
	traits: ProviderOrderCriteria[];
	/** True: not for every token of the collection, whether or not the traits could be read. */
	isPartial: boolean;
};

/** Reads an offer's criteria; null for an offer on one token, which has none. */
export function readCriteria(row: unknown): OfferCriteria | null {
	const { data } = wire.criteria.safeParse(row);
	if (!data) return null;
	const traits = (data.traits ?? []).slice(0, CRITERIA_PER_ORDER_MAX);
	const ranges = (data.numeric_traits ?? []).slice(0, CRITERIA_PER_ORDER_MAX);
	const tokens = data.encoded_token_ids;
	const isOfTokens = typeof tokens === "string" && tokens !== "" && tokens !== "*";
	return {
		contract: wire.criteriaContract.safeParse(data.contract).data?.address ?? null,
		traits: [...traits.flatMap(readTrait), ...ranges.flatMap(readRange)],
		isPartial: traits.length > 0 || ranges.length > 0 || isOfTokens,
	};
}

function readTrait(row: unknown): ProviderOrderCriteria[] {
	const { data } = wire.criteriaTrait.safeParse(row);
	const value = textOf(data?.value);
	return data?.type && value !== null ? [{ type: data.type, value }] : [];
}

/** Reads a range of numbers, as `3–7`, `3–` or `–7`. */
function readRange(row: unknown): ProviderOrderCriteria[] {
	const { data } = wire.criteriaRange.safeParse(row);
	const [min, max] = [textOf(data?.min), textOf(data?.max)];
	if (!data?.type || (min === null && max === null)) return [];
	return [{ type: data.type, value: `${min ?? ""}–${max ?? ""}` }];
}

function textOf(value: unknown): string | null {
	const isPlain = typeof value === "string" || typeof value === "number";
	return isPlain ? cleanLine(String(value), { lengthMax: 256 }) : null;
}
