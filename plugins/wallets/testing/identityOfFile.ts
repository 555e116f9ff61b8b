import { afterAll, beforeAll } from "bun:test";
import { type IdentityFixture, openIdentity } from "#plugins/wallets/testing/identityFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/**
 * Opens a database and the identity service over it for the tests of one file, and drops it after
 * them. Returns both, to be read inside tests and hooks: before that there is nothing.
 */
export function identityOfFile(): {
	readonly database: TestDatabase;
	readonly fixture: IdentityFixture;
} {
	const own = {} as { database: TestDatabase; fixture: IdentityFixture };
	beforeAll(async () => {
		own.database = await createTestDatabase();
		own.fixture = await openIdentity(own.database.db);
	});
	afterAll(() => own.database?.drop());
	return own;
}
