import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what is not read again is what stands, and what is decided is decided by what stands.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

/** Recorded by somebody who signed in, whose profile has changed since. */
async function changedSince(change: string) {
	const by = await lab.person();
	const intents = await lab.pay(by, { stays: true });
	await database.db.execute(change, [by.profile.id]);
	const ids = intents.map(({ id }) => id);
	return await lab.execution.advance(ids, lab.signal, { intents, profile: by.profile });
}

test("[NFT-01] an intent that was sent is returned with its current status", async () => {
	const by = await lab.person();
	const intents = await lab.pay(by, { stays: true });
	const id = intents[0]?.id ?? "";
	lab.clock.ms += 1_000;
	const recorded = { intents, profile: by.profile };
	const [sent] = await lab.execution.advance([id], lab.signal, recorded);
	expect(sent?.status).toBe("submitted");
	expect(sent).toEqual(await lab.intent(id));
});

test("[NFT-01] an uncertain, refused or denied intent is returned with its status", async () => {
	for (const [mood, status] of [
		["refuses", "failed"],
		["silent", "uncertain"],
	] as const) {
		lab.deps.custody.send = async () => {
			return mood === "silent"
				? { kind: "unknown", detail: "no answer" }
				: { kind: "refused", code: "wallet_provider_refused", detail: "no" };
		};
		const [intent] = await lab.pay(await lab.person());
		expect(intent?.status).toBe(status);
		expect(intent).toEqual(await lab.intent(intent?.id ?? ""));
	}
	const [denied] = await lab.pay(await lab.person(), { ether: "1000" });
	expect(denied?.status).toBe("rejected");
	expect(denied).toEqual(await lab.intent(denied?.id ?? ""));
});

test("[TRF-02] an owner who turns confirmation on meanwhile is asked before the next payment", async () => {
	const [intent] = await changedSince(
		"update wallets.profile set require_trade_confirmation = true where id = $1",
	);
	expect(intent?.status).toBe("confirmation_required");
	expect(lab.handed).toHaveLength(0);
});

test("[TRF-02] a wallet that is unlinked meanwhile sends nothing", async () => {
	const [intent] = await changedSince(
		"update wallets.wallet set removed_at = now() where profile_id = $1",
	);
	expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
	expect(lab.handed).toHaveLength(0);
});

test("[TRF-02] a limit that is lowered meanwhile applies", async () => {
	const [intent] = await changedSince(
		"update wallets.profile set per_trade_usd_max = 1 where id = $1",
	);
	expect(intent).toMatchObject({ status: "rejected", errorCode: "per_trade_limit" });
	expect(await lab.ledger(intent?.id ?? "")).toEqual({});
});
