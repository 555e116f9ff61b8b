// Describes what routes take in path and query, and answers all who ask the same at once.

import { z } from "zod";
import { shareNext } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";

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
