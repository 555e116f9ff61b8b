import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/** Names what a wallet sends in another way than the plan says; left out: by the plan, nonce 0. */
type Change = { valueRaw?: bigint; data?: Hex; to?: Hex; nonce?: number };

/**
 * Gives a test file a database, and each test its own lab with a person whose wallet sends by
 * itself. Returns what the tests do with them.
 */
export function openOwnersWallet() {
	let database: TestDatabase;
	let lab: Lab;
	let by: Person;
	let fee = 100n;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		by = await lab.person({ capability: "external/manual" });
	});
	return {
		get lab() {
			return lab;
		},
		get address() {
			return by.wallet.address;
		},
		/** Asks the owner for a payment. */
		async ask(data: Hex = "0xabcd"): Promise<Intent> {
			const [intent] = await lab.pay(by, { data });
			if (!intent) throw new Error("no intent");
			expect(intent.status).toBe("signature_required");
			return intent;
		},
		read: ({ id }: Intent) => lab.intent(id),
		/** Sends what the plan says, or something else, as the wallet does; each at its own price. */
		send(intent: Intent, { nonce = 0, ...change }: Change = {}): Hex {
			const { from, to, valueRaw, data } = intent.plan ?? {};
			if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
			fee *= 2n;
			return lab.chain.send({ from, to, valueRaw, data, ...change, nonce, feeRaw: fee });
		},
		mine(blocks = 4): void {
			for (let block = 0; block < blocks; block++) lab.chain.mine();
		},
		async ticks(times: number, ms: number): Promise<void> {
			for (let turn = 0; turn < times; turn++) await lab.tick(ms);
		},
	};
}
