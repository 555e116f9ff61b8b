import { expect, test } from "bun:test";
import { keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const OWN: [method: string, path: string][] = [
	["GET", "/profile"],
	["POST", "/profile"],
	["DELETE", "/profile/social"],
	["DELETE", `/profile/wallets/${crypto.randomUUID()}`],
];

test("[SEC-04] whoever is not signed in gets 401 from every route of their own things", async () => {
	const { body } = await own.fixture.signIn(keyOf(1));
	await own.fixture.call("/session", { method: "DELETE", bearer: body.token });
	for (const [method, path] of OWN) {
		for (const bearer of [undefined, "wrong", body.token]) {
			const answer = await own.fixture.call(path, { method, bearer });
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
	const { status, body } = await own.fixture.call("/settings");
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
	expect((await own.fixture.call("/siwe/nonce", { method: "POST" })).status).toBe(200);
});
