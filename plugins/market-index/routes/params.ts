// Describes what routes take in path and query, and answers all who ask the same at once.

import { z } from "zod";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { shareNext } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";
import { readJson } from "#core/json.ts";
import type { TraitFilter } from "#plugins/market-index/tokens/model.ts";

/** The form of a chain's name; `resolveChain` checks whether it exists. */
export const chainParam = z
	.string()
	.max(64)
	.optional()
	.meta({
		description: "A chain by slug, other common spelling or chain id. It must be indexed here.",
		examples: ["ethereum", "matic", "8453"],
	});

/** Parses the slug of a collection in a path. */
export const slugParams = z.object({
	slug: z
		.string()
		.regex(/^[^\p{Cc}]{1,128}$/u, "must be a slug or a contract address")
		.meta({
			description: "A slug, a former slug, or the contract address in any case.",
			examples: ["tidal-cats", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
});

const UINT256_MAX = 2n ** 256n - 1n;

/** A token id: a `uint256` as a decimal number without leading zeros. */
export const tokenIdParam = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/, { error: "must be a whole number in decimal digits", abort: true })
	.refine((id) => id.length <= 78 && BigInt(id) <= UINT256_MAX, "must fit 256 bits")
	.meta({ description: "A token's id.", examples: ["6529"] });

/** Parses the chain, contract and id of a token in a path. */
export const assetParams = z.object({
	chain: z
		.string()
		.max(64)
		.meta({ description: "A chain that is indexed here.", examples: ["ethereum", "8453"] }),
	contract: z
		.string()
		.regex(new RegExp(ANY_CASE_ADDRESS_PATTERN), "must be a contract's address")
		.meta({
			description: "The contract's address, in any case.",
			examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
	tokenId: tokenIdParam,
});

/** Limits for filters by trait: a page of a collection asks for a few of them. */
const TRAITS_TEXT_MAX = 4_096;
const TRAIT_PAIRS_MAX = 20;
const TRAIT_LENGTH_MAX = 128;

const TRAITS_EXPECTED = `must be JSON like [{"type":"Background","value":"Dusk"}], of 1 to ${TRAIT_PAIRS_MAX} traits`;

const traitText = z
	.string()
	.max(TRAIT_LENGTH_MAX)
	.regex(/^[^\p{Cc}]*$/u);
const traitPairs = z
	.array(z.strictObject({ type: traitText, value: traitText }))
	.min(1)
	.max(TRAIT_PAIRS_MAX);

/**
 * A filter by traits, as JSON: types and values of strangers may hold any separator. Values of one
 * type are alternatives; of several types each must match.
 */
export const traitsParam = z
	.string()
	.max(TRAITS_TEXT_MAX)
	.transform((text, context): TraitFilter => {
		const parsed = traitPairs.safeParse(readJson(text));
		if (parsed.success) return filterOf(parsed.data);
		context.addIssue({ code: "custom", message: TRAITS_EXPECTED });
		return z.NEVER;
	})
	.optional()
	.meta({
		description:
			"Only tokens with these traits, as JSON, by their names as they are shown. Values of one type " +
			"are alternatives; of several types each must match. A token whose traits are not known is " +
			"left out.",
		examples: ['[{"type":"Background","value":"Dusk"}]'],
	});

const HEADERS = { "content-type": "application/json" };

/** Rows of a page, for `pageQuery` and `limitParam`. */
export const PAGE_LIMIT = { default: 50, max: 200 } as const;

/**
 * Answers a request with the text that `read` returns. Requests for the same URL that come during a
 * reading share the next one, which begins after they came; the gate may share it too.
 *
 * For readings that are too expensive to do once per client, and that must never be older than the
 * request.
 */
export async function answerShared(
	request: Request,
	read: () => Promise<unknown>,
): Promise<Response> {
	const make = async () => ({ body: JSON.stringify(await read()), headers: HEADERS });
	const requested = requestContexts.get(request);
	if (requested) requested.repeat = shareNext(make);
	const { body, headers } = await make();
	return new Response(body, { headers });
}

function filterOf(pairs: readonly { type: string; value: string }[]): TraitFilter {
	const byType = new Map<string, string[]>();
	for (const { type, value } of pairs) byType.set(type, [...(byType.get(type) ?? []), value]);
	return [...byType].map(([type, values]) => ({ type, values }));
}
