import { Client } from "pg";
import { DAY_MS } from "#core/time/units.ts";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";
import { fillCollections } from "#test/bench/fill/fillCollections.ts";
import { fillMarket } from "#test/bench/fill/fillMarket.ts";
import { fillMonth } from "#test/bench/fill/fillMonth.ts";
import { monthsOf } from "#test/bench/fill/monthsOf.ts";
import { setIndexesAside } from "#test/bench/fill/setIndexesAside.ts";

const ROLLUPS = ["rollup_minute", "rollup_hour", "rollup_day"];

const MARKET = [
	"collection",
	"sync",
	"floor_snapshot",
	"market_order",
	"token",
	"trait_count",
	"discovery_list",
];

/**
 * Fills a migrated, empty index with events, rollups and collections that agree with each other, as
 * lanes would have left them. The server makes all of it, the same in every run.
 */
export async function fillIndex(connectionString: string, options: FillOptions): Promise<void> {
	const clients = [0, 1].map(() => new Client({ connectionString }));
	try {
		for (const client of clients) {
			await client.connect();
			await client.query("set synchronous_commit = off");
			await client.query("set maintenance_work_mem = '512MB'");
			await client.query("set work_mem = '256MB'");
		}
		const [one, other] = clients;
		if (!one || !other) return;
		const restore = await setIndexesAside(
			one,
			ROLLUPS.map((table) => `market_index.${table}`),
		);
		// The last month has most of the events, so it goes first.
		const months = monthsOf(options.nowMs - options.days * DAY_MS, options.nowMs).reverse();
		await shareOut(clients, months, (client, month) => fillMonth(client, month, options));
		await shareOut(clients, restore, (client, statement) => client.query(statement));
		await fillCollections(one, options);
		await fillMarket(one, options);
		// One table each: several in one VACUUM would share nothing but the statement.
		const tables = [...ROLLUPS, ...MARKET, ...months.map(({ name }) => `event_${name}`)];
		await shareOut(clients, tables, (client, table) =>
			client.query(`vacuum (analyze, freeze) market_index.${table}`),
		);
		await one.query("analyze market_index.event");
		await one.query("checkpoint");
	} finally {
		for (const client of clients) await client.end();
	}
}

/**
 * Shares work between two connections, as there are two cores; each takes the next piece when it is
 * free.
 */
async function shareOut<Piece>(
	clients: readonly Client[],
	pieces: readonly Piece[],
	work: (client: Client, piece: Piece) => Promise<unknown>,
): Promise<void> {
	const left = [...pieces];
	await Promise.all(
		clients.map(async (client) => {
			for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
				await work(client, piece);
			}
		}),
	);
}
