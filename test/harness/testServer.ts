/**
 * What the server of tests is set to: nothing of it has to survive a power cut, and waiting for a
 * disk is most of what making a database takes. (What must survive is tested on servers of its own.)
 */
export const testServer: Readonly<Record<string, string>> = {
	fsync: "off",
	full_page_writes: "off",
};
