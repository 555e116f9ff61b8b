import { type Treaty, treaty } from "@elysiajs/eden";
import { Elysia } from "elysia";
import type { MarketApi } from "#plugins/market-index/plugin.ts";
import type { StreamsApi } from "#plugins/streams/plugin.ts";

/** The HTTP interface of the built-in plugins, as one type. */
export type Api =
	Served extends Elysia<
		infer Path,
		infer Singleton,
		infer Definitions,
		infer Metadata,
		infer Routes,
		infer Ephemeral,
		infer Volatile
	>
		? Elysia<Path, Singleton, Definitions, Metadata, AsSent<Routes>, Ephemeral, Volatile>
		: never;

export type Client = Treaty.Create<Api>;

/** A query as a client sends it: Elysia's types are of what a route sees, defaults filled in. */
type AsSent<Routes> = {
	[Key in keyof Routes]: Routes[Key] extends { query: infer Query; response: unknown }
		? Omit<Routes[Key], "query"> & { query: Partial<Query> }
		: Routes[Key] extends object
			? AsSent<Routes[Key]>
			: Routes[Key];
};

/** Never called: the app that has the routes of the built-in plugins, for its type. */
const typedApp = (market: MarketApi, streams: StreamsApi) => new Elysia().use(market).use(streams);

type Served = ReturnType<typeof typedApp>;

/**
 * Returns a client whose calls and answers have the types of the routes themselves.
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
