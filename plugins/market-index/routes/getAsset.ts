import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readAsset } from "#plugins/market-index/read/readAsset.ts";
import { assetSchema } from "#plugins/market-index/schemas/assetSchema.ts";
import { tokenIdParam } from "#plugins/market-index/schemas/tokenIdParam.ts";

const contractParam = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/, "must be a contract's address")
	.meta({
		description: "The contract's address, in any case.",
		examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
	});

/** Serves one token. */
export function getAsset({ core, index }: RouteContext) {
	return new Elysia().get(
		"/assets/:chain/:contract/:tokenId",
		async ({ params }) => {
			const found = await index.find(params.contract, params.chain);
			return readAsset(core, found, BigInt(params.tokenId));
		},
		{
			params: z.object({
				chain: z
					.string()
					.max(64)
					.meta({ description: "A chain that is indexed here.", examples: ["ethereum", "8453"] }),
				contract: contractParam,
				tokenId: tokenIdParam,
			}),
			response: { 200: assetSchema },
			detail: {
				...canFail(marketFault.notFound),
				operationId: "getAsset",
				tags: ["market"],
				summary: "Shows one token: metadata, traits, rank",
				description:
					"What the token's own URI says, else what the provider says; null is not known. 404 " +
					"`not_found` for a collection or a token that nothing here spoke of.",
			},
		},
	);
}
