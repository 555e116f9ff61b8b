import { cleanLine } from "#core/outside/cleanLine.ts";
import { TRAIT_LENGTH_MAX } from "#core/outside/limits.ts";

/** A property of a token: its name, its value as text, and what kind of value that is. */
export type CleanTrait = { type: string; value: string; displayType: string | null };

/**
 * Returns a stranger's trait as it may be stored, counted and shown; null where it has no name or
 * no plain value. Numbers and truth values become text; an object or a list is not a value.
 */
export function cleanTrait(told: {
	type: unknown;
	value: unknown;
	displayType?: unknown;
}): CleanTrait | null {
	const type = plainText(told.type);
	const value = plainText(told.value);
	if (type === null || value === null) return null;
	return { type, value, displayType: plainText(told.displayType) };
}

function plainText(value: unknown): string | null {
	const isPlain = typeof value === "boolean" || Number.isFinite(value);
	return cleanLine(isPlain ? String(value) : value, { lengthMax: TRAIT_LENGTH_MAX });
}
