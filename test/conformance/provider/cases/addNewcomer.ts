import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import { addressOf } from "#test/conformance/provider/world/namedHex.ts";
import type { Place } from "#test/conformance/provider/world/World.ts";

/** A collection that the provider created just now, with tokens and without any trade. */
export function addNewcomer(
	lab: ConformanceLab,
	slug: string,
	{ name, chain = "base" }: { name: string; chain?: Place["chain"] },
): Place {
	const like = lab.of("paper-moons");
	const place: Place = { chain, address: addressOf(slug), standard: "erc721" };
	lab.world.collections.set(slug, {
		...like,
		slug,
		name,
		createdMs: lab.nowMs(),
		places: [place],
		tokens: like.tokens.map((token) => ({ ...token, place })),
		events: [],
		orders: [],
		claims: {},
	});
	return place;
}
