import { Client } from "pg";
import { chooseLayout } from "#core/db/embedded/chooseLayout.ts";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { LEASE_MS } from "#plugins/chain-scanner/limits.ts";
import { EVENT_KIND } from "#plugins/market-index/sql/insertEvents.ts";

/** How far the index is, asked of its database: the service must not be slowed by being watched. */
export type IndexProgress = {
	/** When the first lane took its lease, as `Date.now` tells it; null before. */
	lanesStartedAtMs: number | null;
	/** Blocks that each lane has behind it; a lane without a cursor is left out. */
	lanes: readonly number[];
};

export type IndexContents = {
	mints: number;
	sales: number;
	countedMints: number;
	countedSales: number;
};

export type IndexProbe = {
	/** PostgreSQL's first process. */
	postmasterPid: number | undefined;
	progress(): Promise<IndexProgress>;
	/** Events stored, and what the day rollups say of them: both must be whole. */
	contents(): Promise<IndexContents>;
	close(): Promise<void>;
};

/** Looks into the embedded server of a service that is up. */
export async function openIndexProbe(dataDir: string): Promise<IndexProbe> {
	const user = chooseServerUser();
	const { socketDir, cluster } = await chooseLayout({ dataDir, user, log: silentLog });
	const client = new Client({ connectionString: socketUrl(socketDir), application_name: "bench" });
	client.on("error", () => {});
	await client.connect();
	return {
		postmasterPid: findPostmaster(cluster),
		async progress() {
			const { rows } = await client.query<{ startedAt: string | null; lanes: string[] | null }>(
				`select
					(select extract(epoch from min(expires_at)) * 1000 - $1
						from core.lease where name like 'lane:%') as "startedAt",
					(select array_agg(block_number) from chain_scanner.cursor) as lanes`,
				[LEASE_MS],
			);
			const [row] = rows;
			return {
				lanesStartedAtMs: row?.startedAt == null ? null : Number(row.startedAt),
				lanes: (row?.lanes ?? []).map(Number),
			};
		},
		async contents() {
			const { rows } = await client.query<Record<keyof IndexContents, string>>(
				`select
					count(*) filter (where kind = $1) as mints,
					count(*) filter (where kind = $2 and accepted) as sales,
					(select sum(mints) from market_index.rollup_day) as "countedMints",
					(select sum(sales) from market_index.rollup_day) as "countedSales"
				from market_index.event`,
				[EVENT_KIND.mint, EVENT_KIND.sale],
			);
			const [row] = rows;
			return {
				mints: Number(row?.mints),
				sales: Number(row?.sales),
				countedMints: Number(row?.countedMints),
				countedSales: Number(row?.countedSales),
			};
		},
		close: () => client.end(),
	};
}
