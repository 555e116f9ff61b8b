import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/nft-buys/limits.ts";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";
import type { SignedIn } from "#plugins/nft-buys/routes/createSignedIn.ts";
import { intentKinds } from "#plugins/nft-buys/routes/intentKinds.ts";
import { intentSchema } from "#plugins/nft-buys/routes/intentSchema.ts";
import { renderIntent } from "#plugins/nft-buys/routes/renderIntent.ts";

const message = `must be a whole number from 1 to ${PAGE_MAX}`;
const querySchema = z.object({
	limit: z
		.string()
		.regex(/^[1-9][0-9]{0,3}$/, message)
		.transform(Number)
		.pipe(z.int().max(PAGE_MAX, message))
		.meta({ type: "integer", minimum: 1, maximum: PAGE_MAX })
		.default(PAGE_DEFAULT),
	cursor: z.string().max(256).optional(),
});
const page = z.object({ nextCursor: z.string().nullable(), hasMore: z.boolean() });

/** Your buys and offers, newest first. */
export function getIntents({ wallets, chains }: BuyContext, signedIn: SignedIn) {
	return new Elysia().get(
		"/intents",
		async ({ request, query, set }) => {
			const { profile } = await signedIn({ request });
			const found = await wallets.execution.list(profile.id, { kinds: intentKinds, ...query });
			const { items, nextCursor } = found;
			set.headers["cache-control"] = "no-store";
			return {
				data: items.map((intent) => renderIntent(intent, chains)),
				page: { nextCursor, hasMore: nextCursor !== null },
			};
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			query: querySchema,
			response: { 200: z.object({ data: z.array(intentSchema), page }) },
			detail: {
				tags: ["trading"],
				summary: "Lists your NFT buys and offers",
				description: "Newest first, also those that were refused.",
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized),
			},
		},
	);
}
