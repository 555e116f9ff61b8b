import { cleanLine } from "#core/outside/cleanLine.ts";
import { NAME_LENGTH_MAX } from "#plugins/market-index/metadata/limits.ts";

/** Returns a name from a stranger as one clean line of at most 256 characters, or null. */
export function cleanName(text: string | null): string | null {
	return cleanLine(text, { lengthMax: NAME_LENGTH_MAX });
}
