import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
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
		.meta({
			type: "integer",
			minimum: 1,
			maximum: PAGE_MAX,
			description: `How many at most; ${PAGE_DEFAULT} unless given.`,
			examples: [PAGE_DEFAULT],
		})
		.default(PAGE_DEFAULT),
	cursor: cursorParam(),
});
const answerSchema = z
	.object({
		data: z.array(intentSchema).meta({ description: "Intents, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "IntentPage", description: "A page of your buys and offers." });

/** Lists the caller's buys and offers, newest first. */
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
			response: { 200: answerSchema },
			detail: {
				operationId: "listIntents",
				tags: ["trading"],
				summary: "Lists your NFT buys and offers",
				description: "Newest first, also those that were refused.",
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized),
			},
		},
	);
}
