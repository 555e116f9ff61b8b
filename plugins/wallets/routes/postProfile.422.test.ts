import { beforeAll, expect, test } from "bun:test";
import { keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
let bearer: string;
// biome-ignore lint/suspicious/noExplicitAny: an answer.
let profile: any;

beforeAll(async () => {
	({ token: bearer, profile } = (await own.fixture.signIn(keyOf(1))).body);
});
async function refused(body: unknown) {
	const answer = await own.fixture.call("/profile", { bearer, body });
	const stored = await own.fixture.call("/profile", { bearer });
	expect(stored.body).toEqual(profile);
	return { status: answer.status, code: answer.body.code, path: answer.body.issues?.[0]?.path };
}

const INVALID = { status: 422, code: "validation_error" };

test("[TRD-09] a limit above the deployment's is refused, not stored to be ignored", async () => {
	expect(await refused({ perTradeUsdMax: "1000.000001" })).toEqual({
		...INVALID,
		path: "perTradeUsdMax",
	});
	expect(await refused({ dailyUsdMax: "5001" })).toEqual({ ...INVALID, path: "dailyUsdMax" });
	const wallets = [{ id: profile.wallets[0].id, notionalUsdMax: "2000.1" }];
	expect(await refused({ wallets })).toEqual({ ...INVALID, path: "wallets.0.notionalUsdMax" });
	// All or nothing: the good half is not stored either.
	expect(await refused({ requireTradeConfirmation: true, dailyUsdMax: "5001" })).toMatchObject(
		INVALID,
	);
});

test("[SEC-04] amounts that are no plain decimals of dollars are refused", async () => {
	const bad = [
		"1e3",
		"0x10",
		"１",
		"1,5",
		"-0",
		"-1",
		"+1",
		"01",
		".5",
		"5.",
		" 1",
		"1 ",
		"",
		"NaN",
		"Infinity",
		"0.0000001",
		"9".repeat(78),
		"9".repeat(20),
		100,
		true,
		{},
		[],
	];
	for (const perTradeUsdMax of bad) {
		const answer = await refused({ perTradeUsdMax });
		expect({ perTradeUsdMax, ...answer }).toEqual({
			perTradeUsdMax,
			...INVALID,
			path: "perTradeUsdMax",
		});
	}
});

test("a setting that is misspelled is refused: silently dropped, it would seem to be on", async () => {
	const bad = [
		{ requireTradeConfirmations: true },
		{ require_trade_confirmation: true },
		{ socialUserId: "victim" },
		{ id: "other" },
		{ requireTradeConfirmation: "true" },
		{ requireTradeConfirmation: null },
		{ wallets: [{ id: profile.wallets[0].id, notionalUsdMax: "1", capability: "disabled" }] },
		{ wallets: Array(51).fill({ id: "a", notionalUsdMax: null }) },
		[],
		null,
	];
	for (const body of bad) expect(await refused(JSON.stringify(body))).toMatchObject(INVALID);
});

test("[TRD-09] another's wallet is as little there as one that never was", async () => {
	const { body: other } = await own.fixture.signIn(keyOf(2));
	const theirs = other.profile.wallets[0].id;
	for (const id of [theirs, crypto.randomUUID(), "x", "' or 1=1 --", ""]) {
		const gone = { status: 404, code: "not_found", path: undefined };
		expect(await refused({ canonicalWalletId: id })).toEqual(gone);
		expect(await refused({ wallets: [{ id, notionalUsdMax: "1" }] })).toEqual(gone);
	}
});
