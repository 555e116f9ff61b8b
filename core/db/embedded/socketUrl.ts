/**
 * The connection string of a server behind a Unix socket, as `pg` and libpq both read it.
 *
 * Port and sslmode are written out, since both would otherwise come from PG* variables of the
 * environment. The application's name is a fallback, so that a pool may choose its own: it has to
 * start with `tapeline`, by which the watchdog knows that somebody is still there.
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
