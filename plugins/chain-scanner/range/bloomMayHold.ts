import { bloomHas } from "#core/chain/bloom/bloomHas.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { LogFilter } from "#core/chain/LogFilter.ts";

/** Returns false where a block's bloom rules out that any of its logs matches the filter. */
export function bloomMayHold(bloom: Hex, { address, topics }: LogFilter): boolean {
	if (address && !address.some((one) => bloomHas(bloom, one))) return false;
	return topics.every((wanted) => {
		if (wanted === null) return true;
		const any = typeof wanted === "string" ? [wanted] : wanted;
		return any.some((topic) => bloomHas(bloom, topic));
	});
}
