import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { TOKEN_TRAITS_MAX, TRAIT_TEXT_MAX } from "#plugins/market-index/tokens/limits.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/**
 * Returns traits fit to be stored, counted and shown: one line each, no pair twice, so that
 * counting rows counts tokens. An empty value stays: it means that there is none.
 */
export function storableTraits(
	traits: readonly { type: string; value: string; displayType?: string | null | undefined }[],
): TokenTrait[] {
	const kept = new Map<string, TokenTrait>();
	for (const { type, value, displayType } of traits) {
		if (kept.size === TOKEN_TRAITS_MAX) break;
		const name = textOf(type);
		if (name === "") continue;
		const text = textOf(value);
		const trait: TokenTrait = { type: name, value: text };
		const shownAs = displayType ? textOf(displayType) : "";
		if (shownAs !== "") trait.displayType = shownAs;
		// The separator is in neither text: both are clean.
		const key = `${name}\u0000${text}`;
		if (!kept.has(key)) kept.set(key, trait);
	}
	return [...kept.values()];
}

function textOf(text: string): string {
	const clean = cleanName(text) ?? "";
	if (clean.length <= TRAIT_TEXT_MAX) return clean;
	return [...clean].slice(0, TRAIT_TEXT_MAX).join("").trimEnd();
}
