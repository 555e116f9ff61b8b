import { contentOf } from "#core/http/content/contentOf.ts";
import type { Encoder } from "#core/http/content/createEncoder.ts";
import { negotiate } from "#core/http/content/negotiate.ts";
import { variantHeaders } from "#core/http/content/variantHeaders.ts";
import { httpFault } from "#core/http/httpFault.ts";

/**
 * Returns the answer of a public route (`canBeCached`) as this request wants it: compressed, plain,
 * or a 304. Throws `not_acceptable` where the request accepts none of these.
 *
 * An answer that must not be kept, or that sets a cookie, stays unchanged: compressing secrets
 * beside a stranger's text reveals them by the length (BREACH).
 */
export async function publish(
	response: Response,
	{ request, encoder }: { request: Request; encoder: Encoder },
): Promise<Response> {
	const { headers } = response;
	const isSomebodys = /no-store|private/.test(headers.get("cache-control") ?? "");
	if (isSomebodys || headers.has("set-cookie") || headers.has("content-encoding")) return response;
	const content = contentOf(await response.bytes());
	const variant = negotiate(request, content);
	if (variant === undefined) throw httpFault.notAcceptable();
	const { etag } = content;
	const body = await encoder.encode(content, variant);
	const status = variant === "unchanged" ? 304 : 200;
	const told = variantHeaders(Object.fromEntries(headers), { etag, variant });
	return new Response(body, { status, headers: told });
}
