import { Elysia } from "elysia";
import type { MarketApi } from "#plugins/market-index/plugin.ts";
import type { StreamsApi } from "#plugins/streams/plugin.ts";

/** Never called: the app that has the routes of the built-in plugins, for its type. */
const typedApp = (market: MarketApi, streams: StreamsApi) => new Elysia().use(market).use(streams);

/** A query as a client sends it: Elysia's types are of what a route sees, defaults filled in. */
type AsSent<Routes> = {
	[Key in keyof Routes]: Routes[Key] extends { query: infer Query; response: unknown }
		? Omit<Routes[Key], "query"> & { query: Partial<Query> }
		: Routes[Key] extends object
			? AsSent<Routes[Key]>
			: Routes[Key];
};

type Served = ReturnType<typeof typedApp>;

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
