import { z } from "zod";
import { cleanLine } from "#core/outside/cleanLine.ts";
import type { ProviderTraitCounts } from "#plugins/provider/contract.ts";
import { NAME_LENGTH_MAX, TRAIT_TYPES_MAX, TRAIT_VALUES_MAX } from "#plugins/provider/limits.ts";
import { wireField } from "#plugins/provider/wire/wireField.ts";

const answerSchema = z.object({ categories: wireField.record, counts: wireField.record });

/**
 * Reads the number of tokens with each value of each trait. A numeric trait has a range in place of
 * counts, and is left out. Trait names are data, and two that are equal after cleaning are one.
 */
export function readTraitCounts(answer: unknown): ProviderTraitCounts | "unreadable" {
	const { data } = answerSchema.safeParse(answer);
	if (!data?.counts) return "unreadable";
	const categories = new Map(Object.entries(data.categories ?? {}));
	const types = new Map<string, Map<string, number>>();
	let left = TRAIT_VALUES_MAX;
	for (const [rawType, rawValues] of Object.entries(data.counts).slice(0, TRAIT_TYPES_MAX)) {
		const type = clean(rawType);
		const values = wireField.record.parse(rawValues);
		if (type === null || values === null) continue;
		if ((categories.get(rawType) ?? "string") !== "string") continue;
		const counts = types.get(type) ?? new Map<string, number>();
		types.set(type, counts);
		for (const [rawValue, rawCount] of Object.entries(values).slice(0, left)) {
			left--;
			const value = clean(rawValue);
			const count = wireField.count.parse(rawCount);
			if (value !== null && count !== null) counts.set(value, (counts.get(value) ?? 0) + count);
		}
	}
	return [...types]
		.filter(([, counts]) => counts.size > 0)
		.map(([type, counts]) => ({
			type,
			values: [...counts].map(([value, count]) => ({ value, count })),
		}));
}

function clean(text: string): string | null {
	return cleanLine(text, { lengthMax: NAME_LENGTH_MAX });
}
