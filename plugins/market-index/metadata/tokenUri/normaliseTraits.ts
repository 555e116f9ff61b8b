import { cleanTrait } from "#core/outside/cleanTrait.ts";
import { ATTRIBUTES_MAX } from "#plugins/market-index/metadata/tokenUri/limits.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

/**
 * Returns the traits of a document, from the forms in use: a list of `{trait_type, value}`, or a
 * map from names to values (or to objects with a `value`). Entries without a name or a plain value
 * are left out: an object is no value, and an empty value means a missing one.
 */
export function normaliseTraits(attributes: unknown): ProviderTrait[] {
	if (typeof attributes !== "object" || attributes === null) return [];
	const rows = Array.isArray(attributes)
		? attributes.slice(0, ATTRIBUTES_MAX).map(listed)
		: Object.entries(attributes).slice(0, ATTRIBUTES_MAX).map(mapped);
	return rows.filter((trait) => trait !== null);
}

function listed(row: unknown): ProviderTrait | null {
	const fields = fieldsOf(row);
	const { trait_type, traitType, name, type, key } = fields;
	return traitOf(trait_type ?? traitType ?? name ?? type ?? key, fields);
}

function mapped([name, value]: [string, unknown]): ProviderTrait | null {
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	return traitOf(name, isObject ? fieldsOf(value) : { value });
}

function traitOf(type: unknown, fields: Record<string, unknown>): ProviderTrait | null {
	const displayType = fields["display_type"] ?? fields["displayType"];
	return cleanTrait({ type, value: fields["value"], displayType });
}

function fieldsOf(row: unknown): Record<string, unknown> {
	return typeof row === "object" && row !== null ? { ...row } : {};
}
