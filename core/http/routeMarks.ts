// Marks routes: cacheable, public, signed, and what they can fail with.

import { type AnyElysia, Elysia } from "elysia";
import type { z } from "zod";
import type { Fault } from "#core/fault.ts";
import { canStream, type DescribedChannel } from "#core/http/asyncApi.ts";

export type DocumentedHeader = { description: string; schema: Readonly<Record<string, unknown>> };

export type DocumentedFailure = { status: number; code: string; detail: string };

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
 * The member of an operation's `detail` which says that its answers are the same for all callers.
 */
export const CACHED_MEMBER = "x-cached";

/** The member of an operation's `detail` which says that pages of any origin may read it. */
export const PUBLIC_MEMBER = "x-public";

/** The member of an operation's `detail` with its answers' headers, for the document. */
export const HEADERS_MEMBER = "x-answer-headers";

/** The member of an operation's `detail` with its failures; the document shows them by status. */
export const FAILURES_MEMBER = "x-failures";

/** Names the member of an operation's `detail` that marks a signed webhook. */
export const SIGNED_MEMBER = "x-signed";

/** The member of an operation's `detail` which says that it holds much while it is answered. */
export const COSTLY_MEMBER = "x-costly";

/** Names the member of an operation's `detail` which says that its errors are sentences. */
export const WORDS_MEMBER = "x-failure-words";

/**
 * Declares that an operation tells its errors as plain sentences, unless a client asks for JSON:
 * for clients that show the body of an error as it is.
 *
 * @example detail: { tags: ["agent"], ...tellsInWords() }
 */
export function tellsInWords(): { [WORDS_MEMBER]: true } {
	return { [WORDS_MEMBER]: true };
}

/**
 * Declares that few of an operation's requests may be under way at once (see `createSlots`).
 *
 * @example detail: { tags: ["agent"], ...takesSlot() }
 */
export function takesSlot(): { [COSTLY_MEMBER]: true } {
	return { [COSTLY_MEMBER]: true };
}

/**
 * Declares that an operation's answers depend on URL and time alone, hold no secret, and may be
 * kept: the gate gives them an ETag, answers 304, and compresses them. For reads; ignored at other
 * methods.
 *
 * @example new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() })
 */
export function canBeCached(): { [CACHED_MEMBER]: true; tags?: string[] } {
	return { [CACHED_MEMBER]: true };
}

/**
 * Declares that a page of any origin may read an operation's answers, refusals too: they need no
 * session and hold no secret. A cookie that such a page sends is ignored. What `canBeCached` is
 * public already; a method that changes anything must not be.
 *
 * @example detail: { tags: ["trading"], ...canBeReadByAnyPage() }
 */
export function canBeReadByAnyPage(): { [PUBLIC_MEMBER]: true; tags?: string[] } {
	return { [PUBLIC_MEMBER]: true };
}

/**
 * Declares headers that an operation's successful answers may have, for the OpenAPI document.
 *
 * @example detail: { tags: ["trading"], ...canCarry(tradingDocumented.onceHeaders) }
 */
export function canCarry(headers: Readonly<Record<string, DocumentedHeader>>): {
	[HEADERS_MEMBER]: Readonly<Record<string, DocumentedHeader>>;
} {
	return { [HEADERS_MEMBER]: headers };
}

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

/**
 * Declares the Faults that an operation answers, for the OpenAPI document. Failures of every
 * operation (an invalid parameter, the limit, our own mistakes) are included without being named.
 *
 * @example detail: { tags: ["market"], ...canFail(marketFault.notFound) }
 */
export function canFail(...makers: readonly (() => Fault)[]): {
	[FAILURES_MEMBER]: DocumentedFailure[];
} {
	return {
		[FAILURES_MEMBER]: makers.map((make) => {
			const { status, code, publicDetail } = make();
			return { status, code, detail: publicDetail };
		}),
	};
}
