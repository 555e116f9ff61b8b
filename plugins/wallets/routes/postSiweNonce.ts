import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

const challengeSchema = z
	.object({
		nonce: field.text("Good for one try.", "k3Vq8sPz1LmN4tYb"),
		expiresAt: field.time("Until when it is good."),
		domain: field
			.text("For the message's first line; null where no page may sign in here.", "app.example.com")
			.nullable(),
		uri: field.url("The message's URI.", "https://app.example.com").nullable(),
		version: z.literal("1").meta({ description: "The message's version." }),
		chainId: field.integer("The message's chain, by its EIP-155 id.", 4663),
	})
	.meta({ id: "SiweChallenge", description: "What a sign-in message (ERC-4361) has to say." });

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
				operationId: "createSiweNonce",
				tags: ["trading"],
				summary: "Asks for a nonce to sign in with",
				description:
					"Good for ten minutes and one try. Without a body. The other members are what the " +
					"message (ERC-4361) has to say.",
			},
		},
	);
}
