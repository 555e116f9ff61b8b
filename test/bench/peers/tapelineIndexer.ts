import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { startServiceProcess } from "#test/bench/measure/startServiceProcess.ts";
import type { Indexer } from "#test/bench/peers/measureIndexer.ts";

/** Makes our own service one of the indexers: everything on, its database on the common server. */
export function tapelineIndexer(scope: Scope, title: string): Indexer {
	return {
		name: "tapeline",
		title,
		doneSql: `select count(*) = 2 and coalesce(min(block_number), -1) >= $1::bigint
			and $2::bigint > 0 as done
			from chain_scanner.cursor where lane in ('mint', 'sale')`,
		figuresSql: `select
			count(*) filter (where kind = ${EVENT_KIND.mint}) as mints,
			sum(total_raw) filter (where kind = ${EVENT_KIND.mint}) as paid,
			sum(quantity) filter (where kind = ${EVENT_KIND.mint}) as units,
			count(*) filter (where kind = ${EVENT_KIND.sale} and accepted) as sales,
			sum(total_raw) filter (where kind = ${EVENT_KIND.sale} and accepted) as volume,
			count(distinct collection_id) as collections,
			(select sum(mints) from market_index.rollup_day) as counted_mints,
			(select sum(sales) from market_index.rollup_day) as counted_sales
			from market_index.event`,
		async prepare({ rpcUrl, socketDir, database }) {
			const data = await openDataDir(scope);
			return () => {
				const databaseUrl = socketUrl(socketDir, database);
				const given = { rpcUrls: [rpcUrl], dataDir: data.path, databaseUrl, runtimeArgs: [] };
				const service = startServiceProcess(given);
				return { ...service, stop: () => service.stop().finally(data.remove) };
			};
		},
	};
}
