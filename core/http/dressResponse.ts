import { type OriginPolicy, varyWith } from "#core/http/createOriginPolicy.ts";
import type { RequestContext } from "#core/http/requests.ts";

export type Dressing = {
	request: Request;
	context: RequestContext;
	origins: OriginPolicy;
	sandbox: boolean;
	draining: () => boolean;
};

/** Adds the headers of every answer, and removes the body of an answer to HEAD. */
export async function dressResponse(response: Response, dressing: Dressing): Promise<Response> {
	const dressed = withHeaders(response, dressing);
	return dressing.request.method === "HEAD" ? headless(dressed) : dressed;
}

function withHeaders(response: Response, dressing: Dressing): Response {
	try {
		dress(response.headers, dressing);
		return response;
	} catch {
		// The headers of some answers (from `fetch`, a redirect) cannot be changed. The others are
		// changed in place, because a copied body becomes a stream and loses its length.
		const headers = new Headers(response.headers);
		dress(headers, dressing);
		const { status, statusText } = response;
		return new Response(response.body, { status, statusText, headers });
	}
}

function dress(headers: Headers, dressing: Dressing): void {
	const { request, context } = dressing;
	for (const [name, value] of Object.entries(
		dressing.origins.readHeaders(request, context.isPublic),
	)) {
		headers.set(name, name === "vary" ? varyWith(headers.get(name), value) : value);
	}
	for (const [name, value] of context.headers) headers.set(name, value);
	headers.set("x-request-id", context.requestId);
	headers.set("x-content-type-options", "nosniff");
	if (!headers.has("referrer-policy")) headers.set("referrer-policy", "no-referrer");
	if (dressing.sandbox) headers.set("x-svc-sandbox", "true");
	// Otherwise keep-alive clients would stay with a server that is shutting down.
	if (dressing.draining()) headers.set("connection", "close");
}

/**
 * Removes the body but keeps its length: Bun sends 0 for a null body, so it is measured; a stream
 * has none.
 */
async function headless(response: Response): Promise<Response> {
	const headers = new Headers(response.headers);
	if (headers.get("content-type")?.startsWith("text/event-stream")) {
		await response.body?.cancel();
	} else if (response.body) {
		headers.set("content-length", String((await response.arrayBuffer()).byteLength));
	}
	return new Response(null, { status: response.status, headers });
}
