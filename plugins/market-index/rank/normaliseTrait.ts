/** A name or a value as OpenRarity compares it. */
export function normaliseTrait(text: string): string {
	return text.trim().toLowerCase();
}
