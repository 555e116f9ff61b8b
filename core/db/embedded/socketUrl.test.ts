import { expect, test } from "bun:test";
import pg from "pg";
import { socketUrl } from "#core/db/embedded/layout.ts";

test("pg takes socket, user, database and port from the URL, whatever PG* variables are set", () => {
	process.env.PGPORT = "1";
	process.env.PGSSLMODE = "require";
	try {
		const client = new pg.Client({ connectionString: socketUrl("/tmp/tapeline-0123456789abcdef") });
		expect(client.host).toBe("/tmp/tapeline-0123456789abcdef");
		expect(client.user).toBe("tapeline");
		expect(client.database).toBe("tapeline");
		expect(client.port).toBe(5432);
		expect(client.ssl).toBe(false);
	} finally {
		delete process.env.PGPORT;
		delete process.env.PGSSLMODE;
	}
});
