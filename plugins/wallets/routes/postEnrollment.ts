import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { BEARER_LENGTH_MAX } from "#plugins/wallets/limits.ts";
import { answerSignedIn, signedInSchema } from "#plugins/wallets/routes/answerSignedIn.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

const bodySchema = z
	.object({
		accessToken: z
			.string()
			.min(1)
			.max(BEARER_LENGTH_MAX)
			.optional()
			.meta({
				description: "The wallet provider's, where it is not the bearer token.",
				examples: ["eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"],
			}),
		relink: z.boolean().default(false).meta({ description: "Links again what was unlinked here." }),
	})
	.meta({ id: "EnrollmentRequest", description: "How to sign in." })
	.optional();

/** Signs in with the wallet provider's access token. */
export function postEnrollment({ enrolment, sessions }: IdentityContext) {
	return new Elysia().post(
		"/enrollment",
		async ({ request, body, set }) => {
			const signedIn = await enrolment.signIn(request, body ?? { relink: false });
			return answerSignedIn({ sessions }, set.headers, signedIn);
		},
		{
			body: bodySchema,
			response: { 200: signedInSchema },
			detail: {
				operationId: "enroll",
				tags: ["trading"],
				summary: "Signs in with the wallet provider's access token",
				description:
					"Makes the profile, or brings it up to date with the accounts that the wallet provider " +
					"proved: the social account, and each wallet with what may be done with it. What was " +
					"unlinked here stays so unless `relink` is set.",
				security: [{ session: [] }],
				...canFail(
					walletsFault.socialLinkedElsewhere,
					walletsFault.socialAmbiguous,
					walletsFault.walletLinkedElsewhere,
					walletsFault.walletsTooMany,
				),
			},
		},
	);
}
