import { type AnyElysia, Elysia } from "elysia";
import type { z } from "zod";
import type { Fault } from "#core/fault/Fault.ts";
import { canStream, type DescribedChannel } from "#core/http/asyncapi/canStream.ts";
import { canFail } from "#core/http/canFail.ts";

/** The member of an operation's `detail` which says that a signature proves its sender. */
export const SIGNED_MEMBER = "x-signed";

/** A delivery as it came: these exact bytes are signed, not what they mean. */
export type Delivery = { headers: Headers; body: Uint8Array };

/** An address to which a known sender posts signed deliveries. */
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
