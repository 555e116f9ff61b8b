// Reads a running service's database to see how far its index is.

import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/layout.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";
import type { Node } from "#test/bench/chain/model.ts";
import type { Contents } from "#test/bench/chain/workload.ts";

/** The index's progress, read from its database: watching must not slow the service. */
export type IndexProgress = {
	/** True once a lane holds its lease, which is the first thing it does. */
	lanesStarted: boolean;
	/** Blocks that each counted lane has read; one without a cursor is left out. */
	lanes: readonly number[];
};

export type IndexContents = {
	mints: number;
	sales: number;
	countedMints: number;
	countedSales: number;
};

export type IndexProbe = {
	progress(): Promise<IndexProgress>;
	/** Returns a chain's stored events, and its day rollups' counts: both must be complete. */
	contents(chainId: number): Promise<IndexContents>;
	/** Returns the rows of one block of one chain. */
	rowsOf(block: { chainId: number; number: number }): Promise<number>;
	/** Returns a number that grows whenever a lane changes hands; 0 before any lane had its lease. */
	leaseTokens(): Promise<number>;
	/** Returns the skipped blocks that are not read yet, of the counted lanes together. */
	owed(): Promise<number>;
	close(): Promise<void>;
};

export const BENCH_CHAIN_ID = 31_337;

/** Lanes whose rows the figures count; owners have a lane of their own. */
const COUNTED_LANES = "'mint', 'sale'";
const CONNECT_TIMEOUT_MS = 60_000;
const RETRY_MS = 10;

const CAUGHT_UP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const LANES = 2;

/**
 * Throws unless an index has exactly the expected rows: a fast index with a row missing, or one too
 * many, does not count.
 */
export async function assertComplete(
	probe: Pick<IndexProbe, "contents">,
	contents: Pick<Contents, "mints" | "sales">,
	options: { salesAlone?: number } = {},
): Promise<void> {
	const { mints } = contents;
	const sales = contents.sales + (options.salesAlone ?? 0);
	const found = await probe.contents(BENCH_CHAIN_ID);
	const expected = { mints, sales, countedMints: mints, countedSales: sales };
	if (!Bun.deepEquals(found, expected)) {
		throw new Error(`in the index ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
	}
}

/**
 * Waits until both lanes have the node's newest block. The server may end and come back meanwhile,
 * so a killed one is waited for too.
 */
export async function untilCaughtUp(node: Pick<Node, "call">, socketDir: string): Promise<void> {
	const tip = Number(await node.call("eth_blockNumber"));
	const deadlineMs = performance.now() + CAUGHT_UP_TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		const probe = await openIndexProbe(socketDir);
		try {
			while (performance.now() < deadlineMs) {
				const { lanes } = await probe.progress();
				if (lanes.length === LANES && lanes.every((block) => block >= tip)) return;
				await Bun.sleep(POLL_MS);
			}
		} catch {
			// The connection died with its server.
			await Bun.sleep(POLL_MS);
		} finally {
			await probe.close().catch(() => {});
		}
	}
	throw new Error("the service did not reach the head");
}

/** Opens a probe of a starting service's embedded server: connects as soon as it is there. */
export async function openIndexProbe(socketDir: string, database?: string): Promise<IndexProbe> {
	const client = await connect(socketUrl(socketDir, database));
	let tablesExist = false;
	return {
		async progress() {
			tablesExist ||= await hasTables(client);
			if (!tablesExist) return { lanesStarted: false, lanes: [] };
			// Prepared once: planned anew each time, a look would cost the server half a millisecond.
			const { rows } = await client.query<{ started: boolean; lanes: string[] | null }>({
				name: "progress",
				text: `select
					exists (select from core.lease where name like 'lane:%') as started,
					(
						select array_agg(block_number)
						from chain_scanner.cursor where lane in (${COUNTED_LANES})
					) as lanes`,
			});
			const [row] = rows;
			return { lanesStarted: row?.started ?? false, lanes: (row?.lanes ?? []).map(Number) };
		},
		async contents(chainId) {
			const { rows } = await client.query<Record<keyof IndexContents, string>>(
				`select
					count(*) filter (where kind = $1) as mints,
					count(*) filter (where kind = $2 and accepted) as sales,
					(select sum(mints) from market_index.rollup_day where chain_id = $3) as "countedMints",
					(select sum(sales) from market_index.rollup_day where chain_id = $3) as "countedSales"
				from market_index.event where chain_id = $3`,
				[EVENT_KIND.mint, EVENT_KIND.sale, chainId],
			);
			const [row] = rows;
			return {
				mints: Number(row?.mints),
				sales: Number(row?.sales),
				countedMints: Number(row?.countedMints),
				countedSales: Number(row?.countedSales),
			};
		},
		async rowsOf({ chainId, number }) {
			tablesExist ||= await hasTables(client);
			if (!tablesExist) return 0;
			const { rows } = await client.query<{ count: string }>(
				"select count(*) from market_index.event where chain_id = $1 and block_number = $2",
				[chainId, number],
			);
			return Number(rows[0]?.count);
		},
		async leaseTokens() {
			tablesExist ||= await hasTables(client);
			if (!tablesExist) return 0;
			const { rows } = await client.query<{ tokens: string }>(
				"select coalesce(sum(token), 0) as tokens from core.lease where name like 'lane:%'",
			);
			return Number(rows[0]?.tokens);
		},
		async owed() {
			const { rows } = await client.query<{ blocks: string }>(
				`select coalesce(sum(to_block - from_block + 1), 0) as blocks from chain_scanner.gap
				where lane in (${COUNTED_LANES})`,
			);
			return Number(rows[0]?.blocks);
		},
		close: () => client.end(),
	};
}

async function connect(connectionString: string): Promise<Client> {
	const deadlineMs = performance.now() + CONNECT_TIMEOUT_MS;
	for (;;) {
		const client = new Client({ connectionString, application_name: "bench" });
		client.on("error", () => {});
		try {
			await client.connect();
			return client;
		} catch (error) {
			await client.end().catch(() => {});
			if (performance.now() > deadlineMs) throw error;
			await Bun.sleep(RETRY_MS);
		}
	}
}

async function hasTables(client: Client): Promise<boolean> {
	const { rows } = await client.query<{ exist: boolean }>(
		`select to_regclass('core.lease') is not null
			and to_regclass('chain_scanner.cursor') is not null as exist`,
	);
	return rows[0]?.exist ?? false;
}
