import { afterAll, beforeAll } from "bun:test";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type Buyer, openBuyLab } from "#test/harness/openBuyLab.ts";
import { openPlansLab, type PlansLab } from "#test/harness/openPlansLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/**
 * Gives a test file a database, a node and the marketplace, and ends them after it. Returns a
 * function that opens a lab of plans over them, with a buyer; each test opens its own.
 */
export function usePlans(): () => Promise<{ plans: PlansLab; by: Buyer }> {
	let database: TestDatabase;
	let anvil: Anvil;
	let seaport: SeaportChain;
	beforeAll(async () => {
		[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
		seaport = await deploySeaport(anvil);
	});
	afterAll(async () => {
		await anvil?.stop();
		await database?.drop();
	});
	return async () => {
		const plans = await openPlansLab(openBuyLab({ db: database.db, anvil, seaport }));
		return { plans, by: await plans.buyer() };
	};
}
