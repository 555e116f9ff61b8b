/**
 * Settings of the tests' server. Its data need not survive a power cut, and waiting for the disk is
 * most of the time of creating a database. Tests of durability have their own servers.
 */
export const testServer: Readonly<Record<string, string>> = {
	fsync: "off",
	full_page_writes: "off",
	// Many files at once, some of them with services of several processes.
	max_connections: "400",
};
