/**
 * What the server of tests is set to. Nothing of it has to survive a power cut, and waiting for a
 * disk is most of what making a database takes. What must survive has tests with their own servers.
 */
export const testServer: Readonly<Record<string, string>> = {
	fsync: "off",
	full_page_writes: "off",
	// Many files at once, some of them with services of several processes.
	max_connections: "400",
};
