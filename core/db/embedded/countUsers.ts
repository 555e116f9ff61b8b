import type pg from "pg";
import { shareName } from "#core/db/embedded/shareName.ts";

/** Our connections, besides the one that asks. */
export type Users = {
	/** Processes that hold a share of the server. */
	shares: number;
	/** All of our connections, including pools. */
	connections: number;
};

/**
 * Counts in pg_stat_activity. An operator's psql does not count: it must not keep the server
 * running.
 */
export async function countUsers(client: pg.Client): Promise<Users> {
	const { rows } = await client.query<Users>(
		`select count(*)::int as connections,
			count(*) filter (where application_name = $1)::int as shares
		from pg_stat_activity
		where application_name like 'tapeline%' and backend_type = 'client backend'
			and pid <> pg_backend_pid()`,
		[shareName],
	);
	return rows[0] ?? { shares: 0, connections: 0 };
}
