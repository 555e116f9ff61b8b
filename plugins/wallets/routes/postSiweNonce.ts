import { Elysia } from "elysia";
import { z } from "zod";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

const challengeSchema = z.object({
	nonce: z.string(),
	expiresAt: z.string().meta({ format: "date-time" }),
	domain: z
		.string()
		.nullable()
		.meta({ description: "For the message's first line; null where no page may sign in here." }),
	uri: z.string().nullable(),
	version: z.literal("1"),
	chainId: z.number(),
});

/** The first half of signing in with a wallet. */
export function postSiweNonce({ siwe }: IdentityContext) {
	return new Elysia().post(
		"/siwe/nonce",
		async ({ request, set }) => {
			set.headers["cache-control"] = "no-store";
			return siwe.challenge(request);
		},
		{
			response: { 200: challengeSchema },
			detail: {
				tags: ["trading"],
				summary: "Asks for a nonce to sign in with",
				description:
					"Good for ten minutes and one try. Without a body. The other members are what the " +
					"message (ERC-4361) has to say.",
			},
		},
	);
}
