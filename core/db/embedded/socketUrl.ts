/**
 * Returns the connection string of a server behind a Unix socket, for `pg` and libpq.
 *
 * Port and sslmode are explicit, because both would otherwise come from PG* environment variables.
 * The application's name is a fallback, so that a pool may choose its own: it must start with
 * `tapeline`, by which the watchdog recognises users.
 */
export function socketUrl(socketDir: string, database = "tapeline"): string {
	const query = new URLSearchParams({
		host: socketDir,
		port: "5432",
		sslmode: "disable",
		fallback_application_name: "tapeline",
	});
	return `postgresql://tapeline@/${database}?${query}`;
}
