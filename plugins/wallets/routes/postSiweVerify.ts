import { Elysia } from "elysia";
import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { canFail } from "#core/http/canFail.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { SIGNATURE_BYTES_MAX, SIWE_MESSAGE_LENGTH_MAX } from "#plugins/wallets/limits.ts";
import { answerSignedIn, signedInSchema } from "#plugins/wallets/routes/answerSignedIn.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;

const bodySchema = z
	.object({
		message: z
			.string()
			.min(1)
			.max(SIWE_MESSAGE_LENGTH_MAX)
			.meta({
				description: "The message exactly as it was signed.",
				examples: ["app.example.com wants you to sign in with your Ethereum account:\n0x…"],
			}),
		signature: z
			.string()
			.max(2 + 2 * SIGNATURE_BYTES_MAX)
			.refine((text): text is Hex => SIGNATURE.test(text), "must be bytes in hex, with 0x")
			.meta({
				pattern: SIGNATURE.source,
				description: "The signature in hex.",
				examples: [`0x${"5d".repeat(65)}`],
			}),
		link: z
			.boolean()
			.default(false)
			.meta({ description: "Adds the wallet to the profile that is signed in." }),
	})
	.meta({ id: "SiweProof", description: "A signed sign-in message." });

/** Ends signing in with a wallet: the signed message opens a session. */
export function postSiweVerify({ siwe, sessions }: IdentityContext) {
	return new Elysia().post(
		"/siwe/verify",
		async ({ request, body, set }) => {
			const signedIn = await siwe.verify(request, body);
			return answerSignedIn({ sessions }, set.headers, signedIn);
		},
		{
			body: bodySchema,
			response: { 200: signedInSchema },
			detail: {
				operationId: "verifySiwe",
				tags: ["trading"],
				summary: "Signs in with a wallet",
				description:
					"Takes the message exactly as it was signed. Signatures of keys, of contracts (ERC-1271) " +
					"and of contracts that are not deployed yet (ERC-6492). A wallet that nobody has makes a " +
					"new profile. Whatever session the request came with ends.",
				...canFail(
					walletsFault.siweDomain,
					walletsFault.siweUri,
					walletsFault.siweChain,
					walletsFault.siweExpired,
					walletsFault.siweNotYetValid,
					walletsFault.siweLifetime,
					walletsFault.siweNonce,
					walletsFault.siweSignature,
					walletsFault.deploymentOwn,
					walletsFault.walletLinkedElsewhere,
					walletsFault.walletsTooMany,
					walletsFault.siweMessageInvalid,
					walletsFault.chainUnavailable,
				),
			},
		},
	);
}
