import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

// Guarantee: a session that was left open or stolen can lock, and cannot unlock.

const TEN_MINUTES_MS = 600_000;

const own = identityOfFile();
const STRICT = { requireTradeConfirmation: true, perTradeUsdMax: "100", dailyUsdMax: "500" };
const tooOld = { status: 403, body: { code: "sign_in_too_old", status: 403 } };

/** Somebody with all safeguards on, who signed in so long ago. */
async function strict(number: number, agoMs: number) {
	const { body } = await own.fixture.signIn(keyOf(number));
	const wallet: string = body.profile.wallets[0].id;
	const set = (change: unknown) =>
		own.fixture.call("/profile", { bearer: body.token, body: change });
	const safe = { ...STRICT, wallets: [{ id: wallet, notionalUsdMax: "50" }] };
	expect((await set(safe)).status).toBe(200);
	own.fixture.clock.ms += agoMs;
	return { set, wallet, token: body.token };
}

test("after ten minutes no safeguard can be weakened, and what was asked for with it is not done", async () => {
	const { set, wallet, token } = await strict(1, TEN_MINUTES_MS + 1);
	const before = (await own.fixture.call("/profile", { bearer: token })).body;
	own.fixture.audited.length = 0;
	const weaker = [
		{ requireTradeConfirmation: false },
		{ perTradeUsdMax: "100.000001" },
		{ perTradeUsdMax: null },
		{ dailyUsdMax: "501" },
		{ dailyUsdMax: null },
		{ wallets: [{ id: wallet, notionalUsdMax: "51" }] },
		{ wallets: [{ id: wallet, notionalUsdMax: null }] },
		{ requireTradeConfirmation: true, perTradeUsdMax: "1", dailyUsdMax: "1000" },
	];
	for (const change of weaker) expect(await set(change)).toMatchObject(tooOld);
	expect((await own.fixture.call("/profile", { bearer: token })).body).toEqual(before);
	expect(own.fixture.audited).toEqual([]);
	const refused = await set({ dailyUsdMax: null });
	expect(refused.headers.get("content-type")).toBe("application/problem+json");
	expect(refused.body.detail).toContain("Sign in again");
});

test("tightening needs no new sign-in, nor does saying again what stands", async () => {
	const { set, wallet } = await strict(2, TEN_MINUTES_MS * 100);
	for (const change of [
		{},
		STRICT,
		{ perTradeUsdMax: "99.5", dailyUsdMax: "0" },
		{ wallets: [{ id: wallet, notionalUsdMax: "50" }] },
		{ wallets: [{ id: wallet, notionalUsdMax: "0" }], canonicalWalletId: wallet },
	]) {
		expect((await set(change)).status).toBe(200);
	}
});

test("for ten minutes all can be weakened, and using the session does not make them longer", async () => {
	const { set } = await strict(3, TEN_MINUTES_MS);
	expect((await set({ perTradeUsdMax: "101" })).status).toBe(200);
	own.fixture.clock.ms += 1;
	expect(await set({ perTradeUsdMax: "102" })).toMatchObject(tooOld);
	expect(await set({ perTradeUsdMax: "102" })).toMatchObject(tooOld);
	const { body } = await own.fixture.signIn(keyOf(3));
	const again = await own.fixture.call("/profile", {
		bearer: body.token,
		body: { requireTradeConfirmation: false, perTradeUsdMax: null, dailyUsdMax: null },
	});
	expect(again).toMatchObject({ status: 200, body: { requireTradeConfirmation: false } });
});

test("an access token is as fresh as its issue, alone and as the session it opens", async () => {
	const { provider, clock } = own.fixture;
	const accounts = [provider.embedded("w-9", addressOf(9), true)];
	const signIn = async (issuedAtMs: number) => {
		const token = provider.user("u-9", accounts, issuedAtMs);
		const { body } = await own.fixture.enrol(token);
		return [token, body.token as string];
	};
	for (const bearer of await signIn(clock.ms - TEN_MINUTES_MS)) {
		for (const change of [STRICT, { requireTradeConfirmation: false, dailyUsdMax: null }]) {
			expect((await own.fixture.call("/profile", { bearer, body: change })).status).toBe(200);
		}
		await own.fixture.call("/profile", { bearer, body: STRICT });
	}
	for (const issuedAtMs of [clock.ms - TEN_MINUTES_MS - 1, 0]) {
		for (const bearer of await signIn(issuedAtMs)) {
			const weaker = { requireTradeConfirmation: false };
			expect(await own.fixture.call("/profile", { bearer, body: weaker })).toMatchObject(tooOld);
		}
	}
	clock.ms += TEN_MINUTES_MS + 1;
});

test("whatever is changed with an old sign-in, nothing is weaker than before", async () => {
	const { set, wallet, token } = await strict(4, TEN_MINUTES_MS + 1);
	const usd = fc.option(fc.integer({ min: 0, max: 900 }).map(String), { nil: null });
	const change = fc.record(
		{
			requireTradeConfirmation: fc.boolean(),
			perTradeUsdMax: usd,
			dailyUsdMax: usd,
			wallets: usd.map((notionalUsdMax) => [{ id: wallet, notionalUsdMax }]),
		},
		{ requiredKeys: [] },
	);
	const read = async () => (await own.fixture.call("/profile", { bearer: token })).body;
	const rank = (text: string | null) => (text === null ? Number.POSITIVE_INFINITY : Number(text));
	await fc.assert(
		fc.asyncProperty(change, async (asked) => {
			const before = await read();
			const { status } = await set(asked);
			const after = await read();
			if (status !== 200) expect([status, after]).toEqual([403, before]);
			expect(after.requireTradeConfirmation).toBe(true);
			for (const [was, is] of [
				[before.perTradeUsdMax, after.perTradeUsdMax],
				[before.dailyUsdMax, after.dailyUsdMax],
				[before.wallets[0].notionalUsdMax, after.wallets[0].notionalUsdMax],
			]) {
				expect(rank(is)).toBeLessThanOrEqual(rank(was));
			}
		}),
		{ numRuns: 60 },
	);
});
