import type { ProviderTrait } from "#plugins/provider/contract.ts";
import { NAME_LENGTH_MAX } from "#plugins/provider/limits.ts";
import { cleanText } from "#plugins/provider/wire/cleanText.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** One trait of a token, or null: a value may be any JSON, and only a plain one is a value. */
export function readTrait(row: unknown): ProviderTrait | null {
	const { data } = wire.trait.safeParse(row);
	if (!data?.trait_type) return null;
	const { value } = data;
	const isPlain = ["string", "number", "boolean"].includes(typeof value);
	const text = isPlain ? cleanText(String(value), { lengthMax: NAME_LENGTH_MAX }) : null;
	return text === null
		? null
		: { type: data.trait_type, value: text, displayType: data.display_type };
}
