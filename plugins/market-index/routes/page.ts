import { shareNext } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";

const HEADERS = { "content-type": "application/json" };

/** Rows of a page, for `pageQuery` and `limitParam`. */
export const PAGE_LIMIT = { default: 50, max: 200 } as const;

/**
 * Answers a request with the text that `read` returns. Requests for the same URL that come during a
 * reading share the next one, which begins after they came; the gate may share it too.
 *
 * For readings that are too expensive to do once per client, and that must never be older than the
 * request.
 */
export async function answerShared(
	request: Request,
	read: () => Promise<unknown>,
): Promise<Response> {
	const make = async () => ({ body: JSON.stringify(await read()), headers: HEADERS });
	const requested = requestContexts.get(request);
	if (requested) requested.repeat = shareNext(make);
	const { body, headers } = await make();
	return new Response(body, { headers });
}
