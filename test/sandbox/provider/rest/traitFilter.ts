import { z } from "zod";
import type { Trait } from "../market/Market.ts";
import { Refusal } from "./Refusal.ts";

const Filter = z.array(z.object({ traitType: z.string(), value: z.string() })).max(50);

/** Reads the `traits` parameter: a token must have all of them. Null where it is absent. */
export function traitFilter(
	query: URLSearchParams,
): ((traits: readonly Trait[]) => boolean) | null {
	const text = query.get("traits");
	if (text === null) return null;
	let wanted: z.infer<typeof Filter>;
	try {
		wanted = Filter.parse(JSON.parse(text));
	} catch {
		throw new Refusal(400, "Invalid traits");
	}
	return (traits) =>
		wanted.every(({ traitType, value }) =>
			traits.some((trait) => trait.type === traitType && trait.value === value),
		);
}
