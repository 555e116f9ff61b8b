import { Elysia } from "elysia";
import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { dbFault } from "#core/db/faults.ts";
import { readBack } from "#core/db/readBack.ts";
import { Fault } from "#core/fault/Fault.ts";
import { canFail } from "#core/http/canFail.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { askAgain } from "#plugins/wallets/link/createLinks.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import { type LinkContext, tokenParams } from "#plugins/wallets/link/LinkContext.ts";
import { CONFIRM_IDLE_SECONDS } from "#plugins/wallets/link/limits.ts";
import { linkUsedSchema } from "#plugins/wallets/link/linkSchema.ts";
import { outcomeOf } from "#plugins/wallets/link/readLinked.ts";
import { useLink } from "#plugins/wallets/link/useLink.ts";

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const hash = (description: string) =>
	z
		.string()
		.max(66)
		.toLowerCase()
		.refine(isHash, "must be 32 bytes in hex")
		.meta({
			pattern: "^0x[0-9a-fA-F]{64}$",
			description,
			examples: [`0x${"5d".repeat(32)}`],
		});
const bodySchema = z.union([
	z
		.strictObject({ planHash: hash("The link's `planHash`: yes to exactly what it shows.") })
		.meta({ id: "LinkConfirmation", description: "Says yes to what a link shows." }),
	z
		.strictObject({ transactionHash: hash("The transaction that the owner's wallet sent.") })
		.meta({ id: "LinkSigned", description: "Tells which transaction the owner's wallet sent." }),
]);

/** Says yes to what a link showed, or tells what was signed. Once. */
export function postLink(context: LinkContext) {
	return new Elysia().post(
		"/links/:token",
		async ({ params, body, request, set }) => {
			set.headers["cache-control"] = "no-store";
			requestContexts.get(request)?.keepOpen(CONFIRM_IDLE_SECONDS);
			const by = await signedInAs(request, context);
			const intents = await useLink(context, { token: params.token, answer: body, by });
			const asked = await readBack(() => askAgain(context.links, intents));
			return {
				intents: intents.map((intent) => {
					const { id } = intent;
					return { id, ...outcomeOf(context, intent), nextUrl: asked.get(id)?.url ?? null };
				}),
			};
		},
		{
			params: tokenParams,
			body: bodySchema,
			response: { 200: linkUsedSchema },
			detail: {
				operationId: "answerLink",
				tags: ["trading"],
				summary: "Answers a one-time link",
				description:
					"`planHash` says yes to exactly what the link shows; `transactionHash` tells the " +
					"transaction that the owner's own wallet sent: the payment, or its cancellation. Each link takes one answer. One that does " +
					"not fit (409 `plan_changed`, 422) uses nothing up.",
				...canFail(
					linkFault.notFound,
					executionFault.planChanged,
					executionFault.transactionOther,
					executionFault.intentState,
					dbFault.outcomeUnknown,
				),
			},
		},
	);
}

/** Returns the profile of who is signed in; null for nobody, and for a session that ended. */
async function signedInAs(
	request: Request,
	{ authenticate }: Pick<LinkContext, "authenticate">,
): Promise<string | null> {
	try {
		return (await authenticate(request)).profile.id;
	} catch (error) {
		if (error instanceof Fault && error.status === 401) return null;
		throw error;
	}
}
