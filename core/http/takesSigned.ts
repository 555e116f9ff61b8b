import { type AnyElysia, Elysia } from "elysia";
import type { z } from "zod";
import type { Fault } from "#core/fault/Fault.ts";
import { canStream, type DescribedChannel } from "#core/http/asyncapi/canStream.ts";
import { canFail } from "#core/http/canFail.ts";

/** Names the member of an operation's `detail` that marks a signed webhook. */
export const SIGNED_MEMBER = "x-signed";

/** Holds a webhook request as it came: the signature is over these exact bytes. */
export type Delivery = { headers: Headers; body: Uint8Array };

/** Describes a webhook: its path, its check, its answer and its documentation. */
export type SignedRoute = {
	path: string;
	/** Checks the signature before anything else; throws a Fault where it is not the sender's. */
	receive(delivery: Delivery): Promise<Record<string, unknown>>;
	answer: z.ZodObject;
	channel: DescribedChannel;
	faults: readonly (() => Fault)[];
	about: { operationId: string; tag: string; summary: string; description: string };
};

/**
 * Returns the route of a webhook. The gate takes no allowance for a delivery that `receive`
 * accepts, because its sender is known and may have much to tell; each refused one counts.
 *
 * Its sender comes without cookies, so the gate asks it for no Origin. The signature proves who it
 * is, and no page in a browser can make one.
 */
export function takesSigned(route: SignedRoute): AnyElysia {
	const { tag, ...about } = route.about;
	return new Elysia().post(
		route.path,
		async ({ request, set }) => {
			set.headers["cache-control"] = "no-store";
			const body = new Uint8Array(await request.arrayBuffer());
			return route.receive({ headers: request.headers, body });
		},
		{
			// The signature is of the bytes, not of what they mean.
			parse: "none",
			response: { 200: route.answer },
			detail: {
				...about,
				tags: [tag],
				security: [],
				[SIGNED_MEMBER]: true,
				...canStream(route.channel),
				...canFail(...route.faults),
			},
		},
	);
}
