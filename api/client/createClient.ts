import { type Treaty, treaty } from "@elysiajs/eden";
import type { Api } from "#api/client/Api.ts";

export type Client = Treaty.Create<Api>;

/**
 * A client whose calls and answers have the types of the routes themselves.
 *
 * Each call answers `{ data, error, status, headers }` and throws nothing: `error.value` is the
 * problem document. `options` are eden's (`headers`, `fetch`, …).
 *
 * @example
 * const client = createClient("http://127.0.0.1:4000");
 * const { data } = await client.v1["nft-market"].trending.get({ query: { window: "24h" } });
 */
export function createClient(url: string, options?: Treaty.Config): Client {
	// Times stay the text that their types say they are.
	return treaty<Api>(url, { parseDate: false, ...options });
}
