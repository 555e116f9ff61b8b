import { Client } from "pg";

/**
 * Says which database a connection string means: its name, host and port, never user or password.
 *
 * Read by the driver itself, so that it names what a connection would open, parameters of the query
 * and PG* variables included. A string that the driver cannot read is not quoted: where its parts
 * are unclear, any of them may be the password.
 */
export function nameDatabase(connectionString: string): string {
	try {
		const { database, host, port } = new Client({ connectionString });
		return `PostgreSQL at DATABASE_URL: database "${database}" on ${host}, port ${port}`;
	} catch {
		return "PostgreSQL at DATABASE_URL";
	}
}
