import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import {
	createEligibility,
	type EligibilityMode,
} from "#plugins/trading/registry/createEligibility.ts";
import { type Attestation, attestations } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a profile trades stock tokens only where the deployment's rules allow it.

const NOW_MS = Date.UTC(2026, 10, 25, 15);
const DAY = 86_400_000;
const profile = { id: Bun.randomUUIDv7() } as Profile;
const address = `0x${"a1".repeat(20)}` as const;
const stock = assetOf(newAssetRow({ symbol: "TSLA", address }));

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(() => database.db.execute("truncate trading.attestation"));

const ask = (mode: EligibilityMode, asset = stock) =>
	createEligibility({ mode, excluded: new Set(["US", "GB"]), attestationDays: 30 }).mayTrade(
		database.db,
		{ profile, asset, side: "sell", nowMs: NOW_MS },
	);

function attest(more: Partial<Attestation> = {}) {
	const row: Attestation = {
		...{ profileId: profile.id, country: "DE", isEligible: true, recordedBy: "operator:ops" },
		...{ attestedAt: new Date(NOW_MS - DAY), recordedAt: new Date(NOW_MS) },
		...more,
	};
	return database.db.transaction((tx) => attestations.write(tx, row));
}

test("a deployment without a setting lets no profile trade, whatever is attested", async () => {
	await attest();
	expect(await ask("closed")).toMatchObject({ code: "not_eligible" });
});

test("a profile with a recent record of an allowed country may trade in attested mode", async () => {
	expect(await ask("attested")).toMatchObject({ code: "not_eligible" });
	await attest();
	expect(await ask("attested")).toBeNull();
	await attest({ attestedAt: new Date(NOW_MS - 30 * DAY) });
	expect(await ask("attested")).toBeNull();
});

const refusals: [string, Partial<Attestation>][] = [
	["an excluded country", { country: "US" }],
	["an old record", { attestedAt: new Date(NOW_MS - 30 * DAY - 1) }],
	["a record of the future", { attestedAt: new Date(NOW_MS + 60_001) }],
	["an operator's refusal", { isEligible: false }],
];
for (const [what, row] of refusals) {
	test(`${what} may not trade`, async () => {
		await attest(row);
		expect(await ask("attested")).toMatchObject({ code: "not_eligible" });
	});
}

test("an open sandbox lets all profiles trade except those that an operator refused", async () => {
	expect(await ask("open")).toBeNull();
	await attest({ country: "US" });
	expect(await ask("open")).toBeNull();
	await attest({ isEligible: false });
	expect(await ask("open")).toMatchObject({ code: "not_eligible" });
});

test("coins may be traded by every profile", async () => {
	const usdg = assetOf(newAssetRow({ symbol: "USDG", address, kind: "stable", decimals: 6 }));
	expect(await ask("closed", usdg)).toBeNull();
});
