import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

/**
 * Returns whether the server behind a connection is the one that runs on this cluster.
 *
 * The path alone is not enough: two containers that share /tmp may both call their folder /data. So
 * the identifier that initdb wrote into the cluster is compared as well.
 */
export async function isOurServer(client: pg.Client, cluster: string): Promise<boolean> {
	const { rows } = await client.query<{ folder: string; identifier: string }>(
		`select current_setting('data_directory') as folder,
			(select system_identifier::text from pg_control_system()) as identifier`,
	);
	const row = rows[0];
	if (!row) return false;
	return row.folder === realpathSync(cluster) && row.identifier === clusterIdentifier(cluster);
}

/**
 * Returns the first eight bytes of pg_control, in the machine's byte order (little endian
 * everywhere).
 */
function clusterIdentifier(cluster: string): string {
	const bytes = Buffer.alloc(8);
	const handle = openSync(join(cluster, "global", "pg_control"), "r");
	try {
		readSync(handle, bytes, 0, 8, 0);
	} finally {
		closeSync(handle);
	}
	return bytes.readBigUInt64LE().toString();
}
