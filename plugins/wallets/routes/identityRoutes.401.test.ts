import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	type IdentityFixture,
	keyOf,
	openIdentity,
} from "#plugins/wallets/testing/identityFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: IdentityFixture;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = await openIdentity(database.db);
});
afterAll(() => database.drop());

const OWN: [method: string, path: string][] = [
	["GET", "/profile"],
	["POST", "/profile"],
	["DELETE", "/profile/social"],
	["DELETE", `/profile/wallets/${crypto.randomUUID()}`],
];

test("[SEC-04] whoever is not signed in gets 401 from every route of their own things", async () => {
	const { body } = await fixture.signIn(keyOf(1));
	await fixture.call("/session", { method: "DELETE", bearer: body.token });
	for (const [method, path] of OWN) {
		for (const bearer of [undefined, "wrong", body.token]) {
			const answer = await fixture.call(path, { method, bearer });
			expect({ path, status: answer.status, code: answer.body.code }).toEqual({
				path,
				status: 401,
				code: "unauthorized",
			});
			expect(answer.headers.get("content-type")).toBe("application/problem+json");
			expect(answer.headers.get("set-cookie")).toBeNull();
		}
	}
});

test("settings and the nonce are open to everybody", async () => {
	const { status, body } = await fixture.call("/settings");
	expect({ status, body }).toEqual({
		status: 200,
		body: {
			homeChain: { id: 4663, slug: "robinhood", name: "Robinhood Chain" },
			signInChainIds: [4663],
			walletProvider: { isOn: true },
			dryRun: true,
			perTradeUsdMax: "1000",
			dailyUsdMax: "5000",
			walletNotionalUsdMax: "2000",
			settlementAssets: ["ETH", "WETH", "USDG"],
			sessionSeconds: 604_800,
			nonceSeconds: 600,
		},
	});
	expect((await fixture.call("/siwe/nonce", { method: "POST" })).status).toBe(200);
});
