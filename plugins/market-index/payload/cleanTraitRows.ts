import { cleanLine } from "#core/outside/cleanLine.ts";
import { TRAIT_LENGTH_MAX } from "#core/outside/limits.ts";
import { TOKEN_TRAITS_MAX } from "#plugins/market-index/tokens/limits.ts";

/** Members that providers give a trait. */
const MEMBERS: ReadonlySet<string> = new Set([
	...["trait_type", "type", "name", "key", "value"],
	...["display_type", "max_value", "min", "max", "trait_count", "order"],
]);
const NAMES = ["trait_type", "type", "name", "key"] as const;
const VALUES = ["value", "min", "max"] as const;

/**
 * Returns the traits of a list that have a name and a plain value, in the form that they came in,
 * with texts of at most 128 characters; null where the list had some and none of them is a trait.
 * A list that is clean already is returned as it is.
 */
export function cleanTraitRows(rows: unknown[]): unknown[] | null {
	const clean: Row[] = [];
	for (const row of rows.slice(0, TOKEN_TRAITS_MAX)) {
		const kept = cleanRow(row);
		if (kept) clean.push(kept);
	}
	if (clean.length === 0 && rows.length > 0) return null;
	const isSame = clean.length === rows.length && clean.every((row, index) => row === rows[index]);
	return isSame ? rows : clean;
}

type Row = Record<string, unknown>;

function cleanRow(row: unknown): Row | null {
	if (!isRecord(row)) return null;
	const clean = isCleanRow(row) ? row : plainMembers(row);
	const hasName = NAMES.some((name) => typeof clean[name] === "string");
	const hasValue = VALUES.some((name) => clean[name] !== undefined && clean[name] !== null);
	return hasName && hasValue ? clean : null;
}

function isCleanRow(row: Row): boolean {
	for (const name in row) if (!MEMBERS.has(name) || plainOf(row[name]) !== row[name]) return false;
	return true;
}

function plainMembers(row: Row): Row {
	const clean: Row = {};
	for (const [name, value] of Object.entries(row)) {
		const plain = MEMBERS.has(name) ? plainOf(value) : undefined;
		if (plain !== undefined) clean[name] = plain;
	}
	return clean;
}

/** Returns a plain value, else undefined. Null is what providers write for a missing value. */
function plainOf(value: unknown): string | number | boolean | null | undefined {
	if (value === null || typeof value === "boolean") return value;
	if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
	return cleanLine(value, { lengthMax: TRAIT_LENGTH_MAX }) ?? undefined;
}

function isRecord(value: unknown): value is Row {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
