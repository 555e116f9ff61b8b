import { ZERO } from "#test/conformance/provider/world/growCollection.ts";
import type { Expected } from "#test/e2e/oracle/differences.ts";
import { ranksOf, stripped } from "#test/e2e/oracle/expected/ranksOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state, or a time at which the service did something");

/** Returns one token as the answer must show it, in the words of its source. */
export function assetOf(view: View, tokenId: string, nowMs: number): Expected {
	const told = view.told.tokens.get(`${view.address} ${tokenId}`);
	const owner = view.owners?.ofToken.get(tokenId) ?? null;
	const word = (text: unknown): Expected => (told ? ((text ?? null) as Expected) : null);
	return {
		chain: view.chain,
		contractAddress: view.address,
		tokenId,
		standard: told ? told.token_standard : state,
		name: word(told?.name),
		description: word(told?.description),
		imageUrl: word(told?.image_url),
		animationUrl: null,
		traits: told ? told.traits.map(traitOf) : null,
		rank: ranksOf(view, nowMs)?.get(tokenId) ?? null,
		// The contracts have no metadata of their own.
		tokenUri: null,
		tokenUriHash: null,
		source: told ? "provider" : null,
		fetchedAt: state,
		owner: owner === ZERO ? null : owner,
		collection: { slug: name, name, imageUrl: name, revealState: state },
	};
}

function traitOf({ trait_type: type, value, display_type: kind }: any): Expected {
	const text = stripped(String(value));
	return { trait_type: stripped(type), value: text, ...(kind && { display_type: kind }) };
}
